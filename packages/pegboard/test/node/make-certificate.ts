import { execFileSync } from "node:child_process";

/** Makes `cert.pem` and `key.pem` in a folder: a certificate of its own signature for these names. */
export function makeCertificate(folder: string, ...names: readonly [string, ...string[]]): void {
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem";
  const hosts = `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`;
  const words = `req -x509 ${key} -out cert.pem -days 2 -subj /CN=${names[0]} -addext ${hosts}`;
  execFileSync("openssl", words.split(" "), { cwd: folder, stdio: "pipe" });
}
