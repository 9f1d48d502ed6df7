/** For npm: what a package takes from repositories is built by scripts, which nothing switches off; it is not installed. */
export const NO_GIT = "--git=no-git-here";
