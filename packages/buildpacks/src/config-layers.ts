import { type OrderEntry } from '@buildkeeper/kpack-api';
import { generateLayer, type GeneratedLayer } from './generated-layer.ts';
import { orderToml, runToml, stackToml } from './toml.ts';
import { type TarEntry } from './ustar.ts';

/** Who builds run as: owner of the workspace and of the layers directory. */
export interface BuildUser {
  readonly userId: number;
  readonly groupId: number;
}

/** Names of the copied run image. */
export interface RunImageNames {
  /** With tag and digest: exactly what the builder was made with. */
  readonly pinned: string;
  /** With the tag alone: what apps are rebased on when it moves. */
  readonly floating: string;
}

/** Directories that belong to the build user. */
const userDirectories = ['/workspace', '/layers'];
/** Directories that belong to root. */
const rootDirectories = [
  '/cnb',
  '/cnb/buildpacks',
  '/cnb/extensions',
  '/platform',
  '/platform/env',
  '/cnb/build-config',
  '/cnb/build-config/env',
];

/** The directories that a lifecycle expects, and the link `/lifecycle` that old platforms start it by. */
export function directoriesLayer(user: BuildUser): GeneratedLayer {
  return generateLayer([
    ...userDirectories.map((name) => directory(name, user)),
    ...rootDirectories.map((name) => directory(name)),
    { name: '/lifecycle', mode: 0o644, content: { kind: 'symlink', target: '/cnb/lifecycle' } },
  ]);
}

/**
 * `/cnb/stack.toml`, with the pinned run image, because kpack's builds compare its digest with the one that the
 * lifecycle reports; and `/cnb/run.toml`, with the floating one, so that apps can be rebased on what it points at next.
 * Both in one layer: each layer of its own costs two requests.
 */
export function runImageLayer(runImage: RunImageNames): GeneratedLayer {
  return generateLayer([
    file('/cnb/stack.toml', stackToml(runImage.pinned)),
    file('/cnb/run.toml', runToml([runImage.floating])),
  ]);
}

/** `/cnb/order.toml`. */
export function orderLayer(order: readonly OrderEntry[]): GeneratedLayer {
  return generateLayer([file('/cnb/order.toml', orderToml(order))]);
}

function directory(name: string, user: BuildUser = { userId: 0, groupId: 0 }): TarEntry {
  return { name, mode: 0o755, uid: user.userId, gid: user.groupId, content: { kind: 'directory' } };
}

function file(name: string, text: string): TarEntry {
  return { name, mode: 0o644, content: { kind: 'file', bytes: Buffer.from(text) } };
}
