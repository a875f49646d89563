interface LockFile {
  readonly packages?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where package-lock.json says from which address a package comes: a lock holds versions and digests only. */
export const lockAddresses = (text: string): readonly string[] => {
  const { packages = {} } = JSON.parse(text) as LockFile;
  return Object.entries(packages)
    .filter(([, entry]) => {
      // Where a maintainer takes donations is no address of the package.
      const rest = JSON.stringify({ ...entry, funding: undefined });
      return rest.includes('://') || /\bregistry\.[a-z]/.test(rest);
    })
    .map(([name]) => `package-lock.json: "${name}" records a download address; leave "resolved" out of the lock file`);
};
