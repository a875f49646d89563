import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** An answer read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is asked of a server. */
export interface HttpQuestion {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request on a connection of its own, without following, retrying or decoding anything. */
export async function exchangeHttp(url: string, question: HttpQuestion = {}): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { method = 'GET', body, headers = {} } = question;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body).toString() };
  const sent = request(url, { method, headers: { ...length, ...headers }, agent: new Agent() }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', (error) => {
      reject(
        new Error(`The answer ${response.statusCode ?? 0} ${JSON.stringify(response.headers)} broke off`, {
          cause: error,
        }),
      );
    });
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() });
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return await promise;
}
