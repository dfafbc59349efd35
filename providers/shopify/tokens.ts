// Access tokens: valid for 24 hours from the client credentials grant; without expiry for apps created in the admin
// before 2026.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { run, selectOne } from './records.ts'
import { readSetup, type Setup, type Shop } from './shop.ts'

const TOKEN_LIFE_MS = 86_399_000

interface TokenRow {
  token: string
  scopes: string
  expires: number | null
  revoked: number
}

/** The scopes of a valid token; null: invalid. */
export function findTokenScopes(shop: Shop, token: string): string[] | null {
  const row = selectOne<TokenRow>(shop.db, 'select * from tokens where token = ?', token)
  const isGood = row && !row.revoked && (row.expires === null || row.expires > shop.now())
  return isGood && readSetup(shop).app.isInstalled ? (JSON.parse(row.scopes) as string[]) : null
}

export function createAccessToken(shop: Shop, scopes: readonly string[], isLasting = false): string {
  const token = `shpat_${randomBytes(16).toString('hex')}`
  const expires = isLasting ? null : shop.now() + TOKEN_LIFE_MS
  run(shop.db, 'insert into tokens values (?, ?, ?, 0)', token, JSON.stringify(scopes), expires)
  return token
}

export function revokeTokens(shop: Shop) {
  run(shop.db, 'update tokens set revoked = 1')
}

export function expireTokens(shop: Shop) {
  run(shop.db, 'update tokens set expires = ? where expires is not null', shop.now() - 1)
}

/** The client credentials grant. Accepts a form, as in the documentation, and JSON, as Shopify's library sends. */
export function serveTokens(app: FastifyInstance, shop: Shop) {
  app.post('/admin/oauth/access_token', (request, reply) => {
    const input = parseBody(request.body)
    const setup = readSetup(shop)
    if (setup.state === 'frozen') return reply.code(402).send({ errors: 'Unavailable Shop' })
    const problem = findRefusal(setup, input)
    if (problem) return sendRefusal(reply, ...problem)
    const { scopes } = setup.app
    return reply.send({
      access_token: createAccessToken(shop, scopes),
      scope: scopes.join(','),
      expires_in: Math.floor(TOKEN_LIFE_MS / 1000),
    })
  })
}

function findRefusal({ app }: Setup, input: Record<string, unknown>): [code: string, words: string] | null {
  if (input.grant_type !== 'client_credentials')
    return ['invalid_request', 'The grant_type must be client_credentials.']
  if (input.client_id !== app.clientId)
    return ['application_cannot_be_found', `Could not find Shopify API application with api_key ${input.client_id}`]
  if (!isSame(String(input.client_secret ?? ''), app.secret))
    return ['invalid_client', 'The client secret does not belong to the application.']
  if (!app.isOfOwner) return ['shop_not_permitted', 'Client credentials cannot be performed on this shop.']
  if (!app.isInstalled) return ['app_not_installed', 'The application is not installed on this shop.']
  return null
}

const sendRefusal = (reply: FastifyReply, error: string, message: string) =>
  reply.code(400).send({ error, error_description: `Oauth error ${error}: ${message}` })

function parseBody(body: unknown): Record<string, unknown> {
  if (typeof body === 'string') return Object.fromEntries(new URLSearchParams(body))
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)]
  return x.length === y.length && timingSafeEqual(x, y)
}
