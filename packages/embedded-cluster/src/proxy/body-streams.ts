import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const ticksPerSecond = 20;

/** Passes bytes on at the given speed, in small pieces twenty times a second. */
export function createThrottle(bytesPerSecond: number): Transform {
  const pieceBytes = Math.max(1, Math.floor(bytesPerSecond / ticksPerSecond));
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      void (async () => {
        for (let start = 0; start < chunk.length && !this.destroyed; start += pieceBytes) {
          const piece = chunk.subarray(start, start + pieceBytes);
          this.push(piece);
          await delay((piece.length / bytesPerSecond) * 1000, undefined, { ref: false });
        }
        done();
      })();
    },
  });
}

/** Passes as many bytes with the lowest bit of each one flipped: every digest is wrong, every length is right. */
export function createBitFlipper(): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(
        null,
        chunk.map((byte) => byte ^ 1),
      );
    },
  });
}

/**
 * Passes the first `limitBytes` bytes, then calls `onLimit` once and holds on to the rest; so it does at the end of a shorter body.
 * It never ends by itself, so that a body cut short is not finished by accident.
 */
export function createLimit(limitBytes: number, onLimit: () => void): Transform {
  let leftBytes = limitBytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (leftBytes > 0) this.push(chunk.subarray(0, leftBytes));
      leftBytes -= chunk.length;
      if (leftBytes > 0) done();
      else onLimit();
    },
    flush() {
      onLimit();
    },
  });
}
