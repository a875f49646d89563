import { buildApiServer } from './build-api-server.ts';
import { findPrograms } from './find-programs.ts';

const usage = `npx node tools/envtest/src/main.ts [--build]
  Says where kube-apiserver and etcd are; exit code 1 where one is missing.
  --build  builds kube-apiserver into the cache first, where there is none`;

const say = (line: string) => {
  process.stderr.write(`envtest: ${line}\n`);
};

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== '--build')) {
    say(usage);
    return 2;
  }
  const { env } = process;
  let found = findPrograms(env);
  if ('reason' in found && args.includes('--build')) {
    await buildApiServer({ env, say });
    found = findPrograms(env);
  }
  if ('reason' in found) {
    say(found.reason);
    return 1;
  }
  process.stdout.write(`${found.programs.apiServer}\n${found.programs.etcd}\n`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
