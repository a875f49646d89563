import { imageInvalid, quoted } from './errors.ts';
import { mixinsOf } from './labels.ts';
import { type LabelledImage } from './labelled-image.ts';

const build = 'build:';
const run = 'run:';

/**
 * Mixins of a stack, from the labels of its two images: those of both (in the order of the build image), then those
 * of the build image alone, then those of the run image alone. What only the run image has without a prefix is left
 * out, since no build may count on it. Throws BuildpackError when the images don't fit together.
 */
export function stackMixins(buildImage: LabelledImage, runImage: LabelledImage): string[] {
  const ofBuild = mixinsOf(buildImage);
  const ofRun = mixinsOf(runImage);
  rejectAny(buildImage, 'it has mixins that are for run images only', ofBuild.filter(hasPrefix(run)));
  rejectAny(runImage, 'it has mixins that are for build images only', ofRun.filter(hasPrefix(build)));
  const common = ofBuild.filter((mixin) => !hasPrefix(build)(mixin));
  const onRun = new Set(ofRun);
  rejectAny(
    runImage,
    `it lacks mixins of build image ${buildImage.text}`,
    common.filter((mixin) => !onRun.has(mixin)),
  );
  return [...common, ...ofBuild.filter(hasPrefix(build)), ...ofRun.filter(hasPrefix(run))];
}

function hasPrefix(prefix: string): (mixin: string) => boolean {
  return (mixin) => mixin.startsWith(prefix);
}

function rejectAny(image: LabelledImage, detail: string, mixins: readonly string[]): void {
  if (mixins.length > 0) throw imageInvalid(image.text, `${detail}: ${mixins.slice(0, 10).map(quoted).join(', ')}`);
}
