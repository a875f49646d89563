import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, type Server } from 'node:net';

// Below the range that Linux hands out to outgoing connections, so that a port given up for a moment is still free afterwards.
const lowestPort = 20_000;
const highestPort = 32_000;
const attempts = 50;

/**
 * Starts to listen on 127.0.0.1 and answers the port: the one given, else a random one between 20000 and 32000.
 * A port that is taken is replaced by another one, unless it was given; then the system's error is thrown.
 */
export async function listenOnLoopback(server: Server, port?: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      server.listen(port ?? randomInt(lowestPort, highestPort + 1), '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (port !== undefined || attempt === attempts || !isPortTaken(error)) throw error;
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
