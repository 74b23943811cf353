import { createHash, randomBytes } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';

/** A program that asks for access with OAuth. */
export class Client {
  private readonly verifier = randomBytes(32).toString('base64url');

  private constructor(
    private readonly request: APIRequestContext,
    private readonly id: string,
    private readonly redirect: string,
  ) {}

  /** Registers a client that is answered at an address. */
  static async register(request: APIRequestContext, name: string, redirect: string): Promise<Client> {
    const made = await request.post('/oauth/register', { data: { client_name: name, redirect_uris: [redirect] } });
    const { client_id } = (await made.json()) as { client_id: string };
    return new Client(request, client_id, redirect);
  }

  /** The page to which the client sends a person. */
  page(scope: string): string {
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirect,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope,
      state: 'a state',
    });
    return `/oauth/authorize?${asked}`;
  }

  /** The access token that the client gets for a code. */
  async token(code: string): Promise<string> {
    const form = { grant_type: 'authorization_code', client_id: this.id, code, redirect_uri: this.redirect, code_verifier: this.verifier };
    const answer = await this.request.post('/oauth/token', { form });
    return ((await answer.json()) as { access_token: string }).access_token;
  }
}
