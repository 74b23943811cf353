import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the browser tests with scripts/e2e.sh`);
  return value;
}

/** What scripts/e2e.sh sets for the tests. */
export const environment = {
  baseURL: required('BASE_URL'),
  credentials: required('CREDENTIALS_DIR'),
  chromium: required('CHROMIUM'),
  /** The server's program, for its command line. */
  server: required('SERVER'),
};

export interface Login {
  login: string;
  password: string;
}

/** `operator` is Vera, who has every role; `viewer` is Una, who may only read; `newcomer` is Mina, whose organisation has no data. */
export type Who = 'operator' | 'viewer' | 'newcomer';

/** Login and password of an operator. */
export function credentials(file: Who): Login {
  const [login, password] = readFileSync(join(environment.credentials, file), 'utf8').trim().split('\n');
  if (!login || !password) throw new Error(`${file} holds no login and password`);
  return { login, password };
}
