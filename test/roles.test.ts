import { beforeAll, expect, test } from 'vitest'
import { servedBy } from '../server/access/http/http.ts'
import { createId } from '../server/core/common/ids.ts'
import { createToken, hashToken } from '../server/core/common/secrets.ts'
import { type Role, roleNames } from '../shared/access/roles.ts'
import { createStore, type TestStore } from './factories.ts'
import { createWorld } from './world.ts'

// Decision 8: calls every endpoint as every role. The permissions are repeated here in the words of the decision, so
// that a wrong or missing permission on a route fails.

const world = createWorld()
const tokens = new Map<Role, string>()
let store: TestStore

beforeAll(async () => {
  store = await createStore(world, { plan: 'growth' })
  for (const role of roleNames) tokens.set(role, await createMember(role))
})

async function createMember(role: Role): Promise<string> {
  const { db, now } = world
  const user = { id: createId(), email: `${role}@team.example`, name: role, password_hash: '-', created_at: now }
  await db.insertInto('users').values(user).execute()
  await db
    .insertInto('members')
    .values({ account_id: store.accountId, user_id: user.id, role, created_at: now })
    .execute()
  const token = createToken()
  const session = { account_id: store.accountId, id: createId(), user_id: user.id, token_hash: hashToken(token) }
  const expires_at = new Date(now.getTime() + 86_400_000)
  await db
    .insertInto('sessions')
    .values({ ...session, created_at: now, last_seen_at: now, expires_at })
    .execute()
  return token
}

/**
 * Endpoints for owners and admins: connecting, sender, consent rules, erasure, exports, flow switches,
 * billing, team.
 */
const LEADERS = [
  'GET /api/carts/export',
  'POST /api/stores/connect-store',
  'DELETE /api/stores/disconnect',
  'PUT /api/stores/keys',
  'PUT /api/stores/settings',
  'POST /api/stores/sending/test-mail',
  'POST /api/flows/:flowId/switch',
  'POST /api/experiments',
  'PUT /api/experiments/running',
  'POST /api/experiments/running/stop',
  'POST /api/subscribe/create-free-subscription',
  'POST /api/subscribe/manual-update',
  'GET /api/payments/payment-history',
  'GET /api/subscribe/credit-entries',
  'GET /api/subscribe/check-credits',
  'POST /api/subscribe/credits',
  'POST /api/subscribe/manual-credits',
  'PUT /api/account/sending-budget',
  'PUT /api/sending/mail-server',
  'DELETE /api/sending/mail-server',
  'PUT /api/sending/bounce-mailbox',
  'DELETE /api/sending/bounce-mailbox',
  'PUT /api/channels/sms',
  'PUT /api/channels/whatsapp',
  'PUT /api/channels/whatsapp/template',
  'POST /api/channels/whatsapp/templates',
  'DELETE /api/channels/sms',
  'DELETE /api/channels/whatsapp',
  'POST /api/team/invitations',
  'POST /api/team/invitations/:invitationId/resend',
  'DELETE /api/team/invitations/:invitationId',
  'PATCH /api/team/members/:userId',
  'DELETE /api/team/members/:userId',
  'PATCH /api/account',
  'POST /api/account/export',
  'PUT /api/consent/wording',
  'POST /api/consent/overrides',
  'POST /api/consent/overrides/:overrideId/end',
  'PUT /api/consent/boxes',
  'PUT /api/consent/sms-confirmation',
  'PUT /api/consent/capture',
  'POST /api/consent/imports',
  'POST /api/consent/imports/:importId/preview',
  'POST /api/consent/imports/:importId/confirm',
  'DELETE /api/consent/imports/:importId',
  'POST /api/consent/imports/:importId/keep',
  'POST /api/consent/imports/:importId/undo',
  'GET /api/consent/imports/:importId/report',
  'GET /api/consent/ledger/export',
  'GET /api/stores/customers/export',
  'GET /api/analytics/export',
  'GET /api/analytics/export/link',
  'GET /api/campaigns/:id/export',
  'GET /api/privacy/:address',
  'DELETE /api/privacy/:address',
  'GET /api/privacy/:address/export',
  'GET /api/erasures/:erasureId',
  'GET /api/retention',
  'GET /api/retention/count',
  'PUT /api/retention',
  'GET /api/privacy-documents/:name',
  'GET /api/suppressions/export',
  'POST /api/suppressions/import',
  'DELETE /api/suppressions/:suppressionId',
]
const OWNERS = ['POST /api/account/delete']
/**
 * A viewer changes only what is their own: profile, sessions, current store, membership, read notifications. A preview
 * is a read.
 */
const OWN = [
  'POST /api/flows/:flowId/preview',
  'POST /api/carts/eligibility',
  'POST /api/carts/reach',
  'POST /api/messages/preview',
  'POST /api/campaigns/audience',
  'POST /api/stores/brand/preview',
  'POST /api/email/discount-eligibility',
  'POST /api/email/discount-preview',
  'POST /api/auth/logout',
  'PATCH /api/auth/profile',
  'POST /api/auth/change-email',
  'DELETE /api/auth/change-email',
  'POST /api/auth/change-password',
  'POST /api/auth/verify-email/resend',
  'DELETE /api/auth/sessions/:sessionId',
  'POST /api/auth/sessions/end',
  'POST /api/account/second-factor',
  'POST /api/account/second-factor/confirm',
  'POST /api/account/second-factor/end',
  'POST /api/account/second-factor/recovery-codes',
  'POST /api/auth/switch-account',
  'POST /api/stores/switch',
  'POST /api/team/leave',
  'POST /api/notifications/mark-read',
  'DELETE /api/notifications',
  'POST /api/notifications/restore',
  'PUT /api/notifications/preferences',
]

const buildEndpointKey = (endpoint: { method: string; path: string }) => `${endpoint.method} ${endpoint.path}`
const listEndpoints = () =>
  (servedBy.get(world.app) ?? []).filter(({ permission }) => permission !== 'public' && permission !== 'operator')
const buildUrl = (path: string) => path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')

test('members and viewers cannot use endpoints of owners and admins, and admins cannot delete the account', async () => {
  const served = listEndpoints().map(buildEndpointKey)
  for (const key of [...LEADERS, ...OWNERS]) expect(served).toContain(key)
  for (const endpoint of listEndpoints()) {
    const key = buildEndpointKey(endpoint)
    for (const role of roleNames) {
      const isForbidden =
        (OWNERS.includes(key) && role !== 'owner') ||
        (LEADERS.includes(key) && (role === 'member' || role === 'viewer'))
      if (!isForbidden) continue
      const reply = await world.request(endpoint.method, buildUrl(endpoint.path), { token: tokens.get(role)! })
      expect([key, role, reply.status, reply.body.code]).toEqual([key, role, 403, 'forbidden'])
    }
  }
})

test('a viewer can read and cannot change anything', { tags: ['A6'] }, async () => {
  const changing = listEndpoints().filter(
    (endpoint) => endpoint.method !== 'GET' && !OWN.includes(buildEndpointKey(endpoint)),
  )
  expect(changing.length).toBeGreaterThan(10)
  for (const endpoint of changing) {
    const key = buildEndpointKey(endpoint)
    const reply = await world.request(endpoint.method, buildUrl(endpoint.path), { token: tokens.get('viewer')! })
    expect([key, reply.status, reply.body.code]).toEqual([key, 403, 'forbidden'])
  }
})

test('a role can use each endpoint it has permission for', async () => {
  // The body is empty, so that a permitted call changes nothing: no endpoint here gets past its parser or finds the
  // row.
  const harmless = listEndpoints().filter((endpoint) => endpoint.method === 'GET' || endpoint.path.includes(':'))
  for (const endpoint of harmless) {
    const key = buildEndpointKey(endpoint)
    for (const role of roleNames) {
      if (endpoint.method !== 'GET' && role === 'viewer') continue
      if (LEADERS.includes(key) && (role === 'member' || role === 'viewer')) continue
      const reply = await world.request(endpoint.method, buildUrl(endpoint.path), { token: tokens.get(role)! })
      expect([key, role, reply.status === 403]).toEqual([key, role, false])
    }
  }
})
