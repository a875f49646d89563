import { type LifecycleApis } from '@buildkeeper/kpack-api';
import { isApiOffered } from './api-version.ts';
import { imageInvalid } from './errors.ts';
import { type ResolvedLifecycle } from './read-lifecycle.ts';

/** Somebody who runs the lifecycle of a builder, and the Platform APIs they can speak. */
export interface PlatformConsumer {
  readonly name: string;
  readonly apis: readonly string[];
}

/**
 * Who runs builders, by their releases of 2026. A new Platform API is a new word here and nothing else.
 *
 * @see https://buildpacks.io/docs/for-platform-operators/concepts/platform/
 */
export const platformConsumers: readonly PlatformConsumer[] = [
  { name: "kpack's builds", apis: ['0.7', '0.8', '0.9'] },
  {
    name: 'pack',
    apis: ['0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '0.10', '0.11', '0.12', '0.13', '0.14', '0.15'],
  },
];

/** All versions of one API that a lifecycle speaks, deprecated ones first. */
export function allVersions(versions: LifecycleApis['buildpack']): readonly string[] {
  return [...(versions?.deprecated ?? []), ...(versions?.supported ?? [])];
}

/**
 * Checks that somebody can run this lifecycle; warns of each known consumer who can't. Throws BuildpackError when
 * nobody can.
 */
export function checkPlatformApis(lifecycle: Pick<ResolvedLifecycle, 'apis' | 'image'>): readonly string[] {
  const offered = allVersions(lifecycle.apis.platform);
  const barred = platformConsumers.filter(({ apis }) => !apis.some((api) => isApiOffered(api, offered)));
  const describe = ({ name, apis }: PlatformConsumer) => `${name} need one of ${apis.join(', ')}`;
  const speaks = `it speaks Platform API ${offered.join(', ') || 'none'}`;
  if (barred.length === platformConsumers.length) {
    throw imageInvalid(lifecycle.image.image, `${speaks}; ${barred.map(describe).join('; ')}`);
  }
  return barred.map((consumer) => `Lifecycle ${lifecycle.image.image}: ${speaks}; ${describe(consumer)}`);
}
