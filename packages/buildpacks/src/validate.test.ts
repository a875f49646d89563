import { anonymousKeychain } from '@buildkeeper/registry-client';
import { type BuildpackEntry } from '@buildkeeper/kpack-api';
import { describe, expect, it } from 'vitest';
import { BuildpackError } from './errors.ts';
import { type LabelledImage } from './labelled-image.ts';
import { type ResolvedBuildpack } from './resolve-order.ts';
import { checkPlatformApis } from './validate-apis.ts';
import { checkBuildpacks } from './validate-buildpacks.ts';
import { checkTargets } from './validate-targets.ts';

function buildpack(entry: Partial<BuildpackEntry>, isOptional = false): ResolvedBuildpack {
  const whole = { id: 'a', version: '1', api: '0.10', storeImage: { image: 'reg.example/a' }, ...entry };
  const source = { kind: 'ClusterStore' as const, name: 's', buildpacks: [whole], keychain: anonymousKeychain };
  return { id: 'a', version: '1', entry: whole, source, isOptional };
}

function apisOf(platform: string[], buildpackApis = ['0.9', '0.10']) {
  return {
    buildpack: { deprecated: ['0.2'], supported: buildpackApis },
    platform: { deprecated: null, supported: platform },
  };
}

describe('checkPlatformApis', () => {
  const image = { latestImage: 'reg.example/lc@sha256:1', image: 'reg.example/lc:1' };
  it.each([
    { platform: ['0.7', '0.12'], warns: [], because: 'everybody can' },
    {
      platform: ['0.10', '0.12'],
      warns: [/kpack's builds need one of 0.7, 0.8, 0.9/],
      because: "kpack's builds can't",
    },
    { platform: ['0.9'], warns: [], because: 'one is enough' },
  ])('of $platform warns of $warns: $because', ({ platform, warns }) => {
    const warnings = checkPlatformApis({ apis: apisOf(platform), image });
    expect(warnings).toEqual(warns.map((warning) => expect.stringMatching(warning) as string));
  });

  it('counts deprecated versions too', () => {
    const apis = { ...apisOf([]), platform: { deprecated: ['0.8'], supported: null } };
    expect(checkPlatformApis({ apis, image })).toEqual([]);
  });

  it.each([{ platform: [] }, { platform: ['0.2'] }, { platform: ['1.0'] }])('refuses $platform', ({ platform }) => {
    expect(() => checkPlatformApis({ apis: apisOf(platform), image })).toThrow(BuildpackError);
  });
});

describe('checkBuildpacks', () => {
  const check = (entry: Partial<BuildpackEntry>, mixins: string[] = [], platform = ['0.12']) => {
    checkBuildpacks([buildpack(entry)], { stack: { id: 'stack', mixins }, lifecycle: { apis: apisOf(platform) } });
  };

  it.each<{ entry: Partial<BuildpackEntry>; because: string }>([
    { entry: {}, because: 'it has targets or nothing' },
    { entry: { stacks: [] }, because: 'an empty list is none' },
    { entry: { api: '0.2', stacks: [{ id: 'stack' }] }, because: 'deprecated APIs work' },
    { entry: { stacks: [{ id: 'other' }, { id: 'stack' }] }, because: 'one stack is enough' },
    { entry: { stacks: [{ id: '*' }] }, because: 'any stack will do' },
    { entry: { order: [{ group: [] }], api: '9.9', stacks: [{ id: 'other' }] }, because: 'a composite has no code' },
  ])('takes $entry: $because', ({ entry }) => {
    expect(() => {
      check(entry);
    }).not.toThrow();
  });

  it.each<{ entry: Partial<BuildpackEntry>; says: string }>([
    { entry: { api: '0.8' }, says: 'is written for Buildpack API "0.8"; the lifecycle speaks 0.2, 0.9, 0.10' },
    { entry: { api: '0.1' }, says: 'is written for Buildpack API "0.1"' },
    { entry: { api: '' }, says: 'is written for Buildpack API ""' },
    { entry: { stacks: [{ id: 'other' }] }, says: 'runs on stack "other", not on "stack"' },
    { entry: { api: '0.2', stacks: [{ id: '*' }] }, says: 'runs on stack "*", not on "stack"' },
    { entry: { stacks: [{ id: 'stack', mixins: ['x'] }] }, says: 'needs mixins that stack "stack" lacks: "x"' },
    { entry: { stacks: [{ id: '*', mixins: ['x'] }, { id: 'stack' }] }, says: 'lacks: "x"' },
  ])('refuses $entry', ({ entry, says }) => {
    expect(() => {
      check(entry);
    }).toThrow(says);
    expect(() => {
      check(entry);
    }).toThrow('Cannot use image reg.example/a: buildpack "a@1"');
  });

  it.each([
    { needs: 'x', has: ['x'], strict: true, relaxed: true },
    { needs: 'x', has: ['build:x', 'run:x'], strict: false, relaxed: true },
    { needs: 'x', has: ['build:x'], strict: false, relaxed: false },
    { needs: 'x', has: ['run:x'], strict: false, relaxed: false },
    { needs: 'build:x', has: ['build:x'], strict: true, relaxed: true },
    { needs: 'build:x', has: ['x'], strict: false, relaxed: true },
    { needs: 'build:x', has: ['run:x'], strict: false, relaxed: false },
    { needs: 'run:x', has: ['x'], strict: false, relaxed: true },
    { needs: 'meta:x', has: ['x'], strict: false, relaxed: false },
    { needs: 'meta:x', has: ['meta:x'], strict: true, relaxed: true },
  ])(
    'lets $has serve for $needs: $strict before Platform API 0.7, $relaxed since',
    ({ needs, has, strict, relaxed }) => {
      const isTaken = (platform: string[]) => {
        try {
          check({ stacks: [{ id: 'stack', mixins: [needs] }] }, has, platform);
          return true;
        } catch {
          return false;
        }
      };
      expect([isTaken(['0.6']), isTaken(['0.6', '0.7'])]).toEqual([strict, relaxed]);
    },
  );
});

describe('checkTargets', () => {
  const base: LabelledImage = {
    text: 'reg.example/base:1',
    labels: new Map([
      ['io.buildpacks.base.distro.name', 'debian'],
      ['io.buildpacks.base.distro.version', '12'],
    ]),
    env: new Map(),
    platform: { os: 'linux', arch: 'arm64', variant: 'v8' },
  };
  const distros = (name: string, version: string) => [{ name, version }];

  it.each([
    { targets: [], fits: true },
    { targets: [{ os: 'linux' }], fits: true },
    { targets: [{}], fits: true },
    { targets: [{ os: 'linux', arch: 'arm64' }], fits: true },
    { targets: [{ os: 'linux', arch: 'arm64', variant: 'v8' }], fits: true },
    { targets: [{ os: 'linux', arch: 'arm64', variant: 'v7' }], fits: false },
    { targets: [{ os: 'linux', arch: 'amd64' }], fits: false },
    {
      targets: [
        { os: 'linux', arch: 'amd64' },
        { os: 'linux', arch: 'arm64' },
      ],
      fits: true,
    },
    { targets: [{ os: 'windows' }], fits: false },
    { targets: [{ os: 'linux', distros: distros('debian', '12') }], fits: true },
    { targets: [{ os: 'linux', distros: distros('debian', '') }], fits: true },
    { targets: [{ os: 'linux', distros: distros('debian', '11') }], fits: false },
    { targets: [{ os: 'linux', distros: distros('ubuntu', '12') }], fits: false },
    { targets: [{ os: 'linux', distros: [...distros('ubuntu', '22.04'), ...distros('debian', '12')] }], fits: true },
  ])('$targets fits: $fits', ({ targets, fits }) => {
    const check = () => checkTargets([buildpack({ targets })], base);
    if (fits) expect(check()).toEqual([]);
    else expect(check).toThrow('buildpack "a@1" is for none of what reg.example/base:1 is: linux/arm64/v8 debian 12');
  });

  it('asks nothing of a base that does not say what it is', () => {
    const unknown = { ...base, labels: new Map(), platform: { os: 'linux', arch: '', variant: '' } };
    const targets = [{ os: 'linux', arch: 'amd64', distros: distros('debian', '12') }];
    expect(checkTargets([buildpack({ targets })], unknown)).toEqual([]);
  });

  it('only warns of what can be done without, and is silent about composites', () => {
    const targets = [{ os: 'windows' }];
    expect(checkTargets([buildpack({ targets, order: [{ group: [] }] })], base)).toEqual([]);
    expect(checkTargets([buildpack({ targets }, true)], base)).toEqual([
      'Optional buildpack "a@1" is for none of what reg.example/base:1 is: linux/arm64/v8 debian 12',
    ]);
  });
});
