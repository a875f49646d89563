import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { sha256Digest, type StoredManifest } from '../registry/registry-store.ts';
import { type ImageSink } from './image-sink.ts';

/** A user of a registry. */
export interface PushCredential {
  readonly username: string;
  readonly password: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Puts images into any registry over plain HTTP: open, with basic access, or with tokens. Made for samples: no retries, no resuming;
 * every unexpected status is thrown with its request.
 */
export class RegistryPusher implements ImageSink {
  readonly #baseUrl: string;
  readonly #credential: PushCredential | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #authorization: string | undefined;

  /** `registry` is `host:port`. */
  constructor(registry: string, credential?: PushCredential) {
    this.#baseUrl = `http://${registry}`;
    this.#credential = credential;
  }

  /** Uploads a blob unless the repository has it; answers its digest. */
  async putBlob(repository: string, bytes: Uint8Array): Promise<string> {
    const digest = sha256Digest(bytes);
    const blobs = `${this.#baseUrl}/v2/${repository}/blobs`;
    if ((await this.#send('HEAD', `${blobs}/${digest}`, [200, 404])).status === 200) return digest;
    const { headers } = await this.#send('POST', `${blobs}/uploads/`, [202]);
    const location = new URL(headers.location ?? '', this.#baseUrl);
    location.searchParams.set('digest', digest);
    await this.#send('PUT', location.href, [201], { bytes, mediaType: 'application/octet-stream' });
    return digest;
  }

  async putManifest(repository: string, reference: string, manifest: StoredManifest): Promise<void> {
    await this.#send('PUT', `${this.#baseUrl}/v2/${repository}/manifests/${reference}`, [201], manifest);
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy();
  }

  async #send(method: string, url: string, expected: readonly number[], body?: StoredManifest): Promise<Answer> {
    let answer = await this.#exchange(method, url, body);
    if (answer.status === 401) {
      this.#authorization = await this.#answerChallenge(answer.headers['www-authenticate'] ?? '');
      answer = await this.#exchange(method, url, body);
    }
    if (expected.includes(answer.status)) return answer;
    throw new Error(
      `Cannot push a sample: ${method} ${url.replace(/\?.*$/, '')} answered ${answer.status}: ${answer.body.trim()}`,
    );
  }

  async #answerChallenge(challenge: string): Promise<string | undefined> {
    if (this.#credential === undefined) return undefined;
    const { username, password } = this.#credential;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (!/^bearer /i.test(challenge)) return basic;
    const {
      realm = '',
      service = '',
      scope = '',
    } = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    ) as Record<string, string>;
    this.#authorization = basic;
    const answer = await this.#exchange('GET', `${realm}?${new URLSearchParams({ service, scope }).toString()}`);
    if (answer.status !== 200) throw new Error(`Cannot push a sample: the token service answered ${answer.status}`);
    return `Bearer ${(JSON.parse(answer.body) as { token: string }).token}`;
  }

  async #exchange(method: string, url: string, body?: StoredManifest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const headers = {
      ...(this.#authorization === undefined ? {} : { Authorization: this.#authorization }),
      ...(body === undefined ? {} : { 'Content-Type': body.mediaType }),
      'Content-Length': body?.bytes.length ?? 0,
    };
    const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.on('error', reject);
    sent.end(body?.bytes);
    return await promise;
  }
}
