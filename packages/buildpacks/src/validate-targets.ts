import { type BuildpackTarget } from '@buildkeeper/kpack-api';
import { candidateName } from './buildpack-source.ts';
import { quoted } from './errors.ts';
import { platformText, type LabelledImage } from './labelled-image.ts';
import { labelNames } from './labels.ts';
import { type ResolvedBuildpack } from './resolve-order.ts';
import { buildpackInvalid, isComposite } from './validate-buildpacks.ts';

/**
 * Checks the targets of buildpacks against the base image, leniently: what either side leaves open fits. Throws
 * BuildpackError for the first required buildpack that doesn't fit; for an optional one gives a warning.
 */
export function checkTargets(buildpacks: readonly ResolvedBuildpack[], base: LabelledImage): readonly string[] {
  const misfits = buildpacks.filter((one) => !isComposite(one) && !isAnyTargetMatch(one.entry.targets, base));
  const detail = `is for none of what ${base.text} is: ${platformText(base.platform)} ${distroText(base)}`.trim();
  const required = misfits.find((one) => !one.isOptional);
  if (required !== undefined) throw buildpackInvalid(required, detail);
  return misfits.map((one) => `Optional buildpack ${quoted(candidateName(one))} ${detail}`);
}

function isAnyTargetMatch(targets: readonly BuildpackTarget[] | undefined, base: LabelledImage): boolean {
  return targets === undefined || targets.length === 0 || targets.some((target) => isTargetMatch(target, base));
}

function isTargetMatch(target: BuildpackTarget, base: LabelledImage): boolean {
  const { os, arch, variant } = base.platform;
  const isPlatform =
    isOpenOrEqual(target.os, os) && isOpenOrEqual(target.arch, arch) && isOpenOrEqual(target.variant, variant);
  const name = base.labels.get(labelNames.distroName);
  const version = base.labels.get(labelNames.distroVersion);
  const distros = target.distros ?? [];
  const isDistro = (distro: (typeof distros)[number]) =>
    isOpenOrEqual(distro.name, name) && isOpenOrEqual(distro.version, version);
  return isPlatform && (distros.length === 0 || distros.some(isDistro));
}

function isOpenOrEqual(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || wanted === '' || found === undefined || found === '' || wanted === found;
}

function distroText(base: LabelledImage): string {
  const parts = [base.labels.get(labelNames.distroName), base.labels.get(labelNames.distroVersion)];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}
