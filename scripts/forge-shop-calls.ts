import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createSignedCall } from '../server/access/plugin/signature.ts'

// Sends forged, replayed, malformed and oversized calls to the plugin's endpoints (docs/plugin-protocol.md) of a real
// local shop. Each must be rejected, nothing may be stored, and no response may contain data of another shopper's cart.
//
//   node scripts/forge-shop-calls.ts http://localhost:8080 --calls 800 --product 16 --checkout /classic-checkout/
//     --state "mariadb -e 'select …' shop"   a command whose output is the same before and after
//     --store ID --secret KEY                 adds correctly signed calls that are late or replayed

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '800' },
    product: { type: 'string' },
    checkout: { type: 'string', default: '/checkout/' },
    state: { type: 'string' },
    store: { type: 'string' },
    secret: { type: 'string' },
  },
})
const shop = new URL(positionals[0] ?? 'http://localhost')
if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(shop.hostname))
  throw new Error('Only a shop on this machine is allowed.')

/** Address in another shopper's cart, which no response may contain. */
const MARK = `victim-${randomBytes(6).toString('hex')}@shoppers.example.com`

interface Call {
  kind: string
  path: string
  init?: RequestInit
  /** Whether the response counts as a rejection; default: 4xx. */
  may?: (reply: Response) => boolean
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const seconds = () => Math.floor(Date.now() / 1_000)
const WAKES = ['/?rest_route=/recoup/v1/wake', '/wp-json/recoup/v1/wake']

const wake = (n: number, kind: string, headers: Record<string, string>, body: string): Call => ({
  kind,
  path: WAKES[n % WAKES.length]!,
  init: { method: 'POST', headers, body },
})

function buildHeaders(change: Record<string, string> = {}) {
  const headers = {
    'content-type': 'application/json',
    'x-recoup-store': values.store ?? hex(16),
    'x-recoup-time': String(seconds()),
    'x-recoup-nonce': hex(16),
    'x-recoup-signature': hex(32),
    ...change,
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

const WAKE_BODY = JSON.stringify({ v: 1, reason: 'disconnected' })
const contact = (kind: string, fields: Record<string, string>): Call => ({
  kind,
  path: '/?wc-ajax=recoup_contact',
  init: { method: 'POST', body: new URLSearchParams({ email: 'forged@shoppers.example.com', ...fields }) },
})
const restore = (kind: string, token: string): Call => ({
  kind,
  path: `/?recoup-restore=${encodeURIComponent(token)}`,
})

const signWake = (age: number) => {
  const call = createSignedCall(values.secret!, 'wake', {
    store: values.store!,
    body: WAKE_BODY,
    now: new Date(Date.now() - age * 1_000),
  })
  return call.headers
}

const forged: ((n: number) => Call)[] = [
  (n) => wake(n, 'wake, wrong signature', buildHeaders(), WAKE_BODY),
  (n) => wake(n, 'wake, no signature', buildHeaders({ 'x-recoup-signature': '' }), WAKE_BODY),
  (n) => wake(n, 'wake, no headers', {}, WAKE_BODY),
  (n) => wake(n, 'wake, another store', buildHeaders({ 'x-recoup-store': hex(8) }), WAKE_BODY),
  (n) =>
    wake(
      n,
      'wake, headers of no form',
      buildHeaders({ 'x-recoup-time': '-1', 'x-recoup-nonce': "' or 1=1 --" }),
      WAKE_BODY,
    ),
  (n) => wake(n, 'wake, oversized', buildHeaders(), 'x'.repeat(1_025 + 997 * n)),
  (n) => wake(n, 'wake, no JSON', buildHeaders(), '{"v":1,'.repeat((n % 5) + 1)),
  (n) => ({ ...wake(n, 'wake, another method', {}, ''), init: { method: ['GET', 'PUT', 'DELETE'][n % 3]! } }),
  () => contact('contact, no nonce', {}),
  () => contact('contact, wrong nonce', { nonce: hex(5) }),
  (n) => contact('contact, oversized', { nonce: hex(5), first_name: 'x'.repeat(1_000 * ((n % 90) + 1)) }),
  (n) => contact('contact, fields of another form', { 'nonce[]': 'x', 'email[a][b]': hex(4), [`f${n}`]: hex(9) }),
  () => restore('restore, no token', ''),
  () => restore('restore, guessed', randomBytes(32).toString('base64url')),
  (n) => restore('restore, no form', `${'../'.repeat(n % 9)}etc/passwd\u0000`),
  (n) => restore('restore, oversized', 'a'.repeat(44 + 37 * (n % 90))),
  (n) => ({ ...restore('restore, an array', ''), path: `/?recoup-restore[${n}]=${'t'.repeat(43)}` }),
  () => ({
    kind: 'screen, signed out',
    path: '/wp-admin/admin-post.php',
    init: { method: 'POST', body: new URLSearchParams({ action: 'recoup_screen', recoup_do: 'disconnect' }) },
  }),
  (n) => ({
    kind: 'code, signed out',
    path: `/wp-admin/admin.php?page=recoup&recoup_state=${hex(16)}&recoup_code=${hex(16)}.${hex(n % 40)}`,
    may: (reply) => reply.status === 302 && /wp-login\.php/.test(reply.headers.get('location') ?? ''),
  }),
]
if (values.secret && values.store) {
  const used = signWake(0)
  forged.push(
    (n) => wake(n, 'wake, signed and late', signWake(301 + n), WAKE_BODY),
    (n) => wake(n, 'wake, signed and altered', signWake(0), WAKE_BODY.replace('disconnected', 'settings')),
    (n) => wake(n, 'wake, replayed', used, WAKE_BODY),
  )
  // The original call of the replay must succeed first.
  const first = await fetch(new URL(WAKES[0]!, shop), { method: 'POST', headers: used, body: WAKE_BODY })
  if (first.status !== 200) throw new Error(`A correctly signed wake was answered ${first.status}.`)
}

/** Creates another shopper with a cart and an address. */
async function createVictim(): Promise<void> {
  const cookies = new Map<string, string>()
  const go = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(new URL(path, shop), {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, cookie },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    return reply.text()
  }
  await go(`/?add-to-cart=${values.product}`)
  const page = await go(values.checkout)
  const source = page.slice(page.indexOf('recoupCheckout'))
  const nonce = page.includes('recoupCheckout') ? /"nonce":"(\w+)"/.exec(source)?.[1] : undefined
  if (!nonce) throw new Error(`${values.checkout} does not contain the plugin's script, so it is no classic checkout.`)
  const response = await go('/?wc-ajax=recoup_contact', {
    method: 'POST',
    body: new URLSearchParams({ nonce, email: MARK }),
  })
  if (!response.includes('true')) throw new Error(`The other shopper's cart could not be created: ${response}`)
  if (!(await go(values.checkout)).includes(MARK)) throw new Error('The shop did not save the typed address.')
}

const readState = () => (values.state ? execFileSync('sh', ['-c', values.state], { encoding: 'utf8' }) : '')

async function runCall(call: Call): Promise<string | null> {
  const reply = await fetch(new URL(call.path, shop), { redirect: 'manual', ...call.init })
  const text = `${JSON.stringify([...reply.headers])}${await reply.text()}`
  const isRefused = call.may ? call.may(reply) : reply.status >= 400 && reply.status < 500
  if (!isRefused) return `${call.kind}: answered ${reply.status} ${reply.headers.get('location') ?? ''}`
  if (text.includes(MARK)) return `${call.kind}: the response contains the other shopper's address`
  const session = reply.headers.getSetCookie().find((cookie) => cookie.startsWith('wp_woocommerce_session'))
  return session ? `${call.kind}: a session was started` : null
}

if (values.product) await createVictim()
const before = readState()
const faults = new Map<string, number>()
const counts = new Map<string, number>()
const calls = Number(values.calls)
let next = 0
async function work(): Promise<void> {
  while (next < calls) {
    const n = next++
    const call = forged[n % forged.length]!(n)
    counts.set(call.kind, (counts.get(call.kind) ?? 0) + 1)
    const fault = await runCall(call)
    if (fault) faults.set(fault, (faults.get(fault) ?? 0) + 1)
  }
}
await Promise.all(Array.from({ length: 4 }, work))
const after = readState()
if (before !== after) faults.set(`Stored data has changed:\n${before}\n${after}`, 1)
for (const [kind, count] of counts) console.log(`${String(count).padStart(5)}  ${kind}`)
for (const [fault, count] of faults) console.error(`${count} × ${fault}`)
console.log(`${calls} calls, ${[...faults.values()].reduce((sum, count) => sum + count, 0)} not rejected as expected`)
process.exitCode = faults.size > 0 ? 1 : 0
