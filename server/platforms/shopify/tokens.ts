import { z } from 'zod'
import type { StoreAccess, StoreNet, StoreToken, TokenCache } from '../platform/access.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { dial } from './dial.ts'
import { classifyTokenRefusal, listSecrets } from './problems.ts'

// Access tokens of a store. An app's token lives for a day: it is made from the app's keys, shared by all processes,
// and renewed at 80 % of its life or when the store refuses it.

const RENEW_AT = 0.8
const DAY_S = 86_400

export interface Tokens {
  current(signal?: AbortSignal): Promise<StoreToken>
  /** Another token after the store refused this one; null: there is none. */
  after(refused: StoreToken, signal?: AbortSignal): Promise<StoreToken | null>
}

export function createTokens(access: StoreAccess, net: StoreNet, shelf: TokenCache): Tokens {
  const { keys } = access
  if (keys.kind === 'woocommerce') throw new Error('A Shopify store has no keys of the kind woocommerce.')
  if (keys.kind === 'shopify_token') {
    const only: StoreToken = { accessToken: keys.accessToken, scopes: [], madeAt: '', expiresAt: '' }
    return { current: async () => only, after: async () => null }
  }
  let cached: StoreToken | null = null
  const make = (signal?: AbortSignal) => () => exchange(access, net, keys, signal)
  return {
    async current(signal) {
      const now = net.now().getTime()
      if (!cached || now >= renewAt(cached)) cached = await loadToken(now, signal)
      return cached
    },
    async after(refused, signal) {
      cached = await shelf.renew(refused, make(signal))
      return cached
    },
  }

  async function loadToken(now: number, signal: AbortSignal | undefined): Promise<StoreToken> {
    const stored = await shelf.read()
    if (stored && now < renewAt(stored)) return stored
    try {
      return await shelf.renew(stored, make(signal))
    } catch (error) {
      // Early renewal failed, so the valid token stays in use.
      if (stored && now < Date.parse(stored.expiresAt)) return stored
      throw error
    }
  }
}

function renewAt({ madeAt, expiresAt }: StoreToken): number {
  const [made, expires] = [Date.parse(madeAt), Date.parse(expiresAt)]
  return made + (expires - made) * RENEW_AT
}

const Granted = z.object({
  access_token: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[\x21-\x7e]+$/),
  scope: z.string().max(10_000).catch(''),
  expires_in: z
    .number()
    .min(60)
    .max(30 * DAY_S)
    .catch(DAY_S - 1),
})

async function exchange(
  access: StoreAccess,
  net: StoreNet,
  keys: { clientId: string; clientSecret: string },
  signal?: AbortSignal,
): Promise<StoreToken> {
  const madeAt = net.now()
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: keys.clientId,
    client_secret: keys.clientSecret,
  })
  const answer = await dial(net, {
    url: `${access.storeUrl}/admin/oauth/access_token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    isRead: true,
    signal,
  })
  if (answer.status !== 200) throw classifyTokenRefusal(answer, listSecrets(access.keys))
  const granted = Granted.safeParse(answer.body)
  if (!granted.success) throw new StoreProblem('shopify_bad_answer', 'the store gave no token')
  return {
    accessToken: granted.data.access_token,
    scopes: granted.data.scope
      .split(/[\s,]+/)
      .filter(Boolean)
      .slice(0, 200),
    madeAt: madeAt.toISOString(),
    expiresAt: new Date(madeAt.getTime() + granted.data.expires_in * 1_000).toISOString(),
  }
}
