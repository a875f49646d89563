import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range that Linux hands out to outgoing connections, so that a port given up for a moment is still free afterwards.
const lowestPort = 20_000;
const highestPort = 32_000;
const attempts = 50;

/** A port of 127.0.0.1 between 20000 and 32000 on which nobody listens. Throws the system's error when none is found. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(lowestPort, highestPort + 1);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}
