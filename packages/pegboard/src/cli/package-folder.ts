/** The folder of this package: two up from here, and from wherever the build has this. */
export const PACKAGE_FOLDER = new URL("../../", import.meta.url);
