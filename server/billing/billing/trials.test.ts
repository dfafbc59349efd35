import fc from 'fast-check'
import { expect, it } from 'vitest'
import { registerOwner } from '../../../test/connected-store.ts'
import { createWorld } from '../../../test/world.ts'
import { canStartTrial, claimTrial, listTrialKeys, normalizeTrialAddress } from './trials.ts'

const world = createWorld()

async function createAccount(email?: string) {
  const { accountId, userId } = await registerOwner(world)
  if (email) await world.db.updateTable('users').set({ email }).where('id', '=', userId).execute()
  return { accountId, db: world.db }
}

it.each([
  ['Ann@Shop.test', 'ann@shop.test'],
  ['ann+tea@shop.test', 'ann@shop.test'],
  ['ann+tea+more@shop.test', 'ann@shop.test'],
  ['a.n.n@shop.test', 'a.n.n@shop.test'],
  ['a.n.n+x@gmail.com', 'ann@gmail.com'],
  ['A.nn@GoogleMail.com', 'ann@gmail.com'],
  ['ann@notgmail.com', 'ann@notgmail.com'],
  ['+tag@shop.test', '+tag@shop.test'],
])('a trial of %s counts for %s', (email, address) => {
  expect(normalizeTrialAddress(email)).toBe(address)
})

it('variants of an address are the same address', () => {
  const local = fc.stringMatching(/^[a-z0-9]{1,12}$/)
  fc.assert(
    fc.property(
      local,
      fc.stringMatching(/^[a-z0-9+.]{0,8}$/),
      fc.constantFrom('gmail.com', 'shop.test'),
      (name, tag, domain) => {
        const plain = `${name}@${domain}`
        expect(normalizeTrialAddress(`${name.toUpperCase()}+${tag}@${domain}`)).toBe(normalizeTrialAddress(plain))
        expect(normalizeTrialAddress(normalizeTrialAddress(plain))).toBe(normalizeTrialAddress(plain))
      },
    ),
  )
})

it('claims account, addresses and cards, each once', () => {
  expect(listTrialKeys({ accountId: 'a', emails: ['x@y.z', 'X+1@y.z'], cards: ['f', 'f'] })).toEqual([
    { kind: 'account', value: 'a' },
    { kind: 'email', value: 'x@y.z' },
    { kind: 'card', value: 'f' },
  ])
})

it('is given once per account, even after a change of address', async () => {
  const account = await createAccount('one@shop.test')
  expect(await canStartTrial(world.deps, account)).toBe(true)
  expect(await claimTrial(world.deps, account, [])).toBe('own')
  await world.db.updateTable('users').set({ email: 'another@shop.test' }).where('email', '=', 'one@shop.test').execute()
  expect(await canStartTrial(world.deps, account)).toBe(false)
  expect(await claimTrial(world.deps, account, ['fp_one'])).toBe('own')
})

it('is given once per address, even after the account is deleted', async () => {
  const account = await createAccount('b.e.n@gmail.com')
  expect(await claimTrial(world.deps, account, [])).toBe('own')
  await world.db.deleteFrom('users').where('email', '=', 'b.e.n@gmail.com').execute()
  await world.db.deleteFrom('accounts').where('id', '=', account.accountId).execute()
  const again = await createAccount('ben+2@googlemail.com')
  expect(await canStartTrial(world.deps, again)).toBe(false)
  // A checkout opened before the other was paid.
  expect(await claimTrial(world.deps, again, [])).toBe('email')
})

it('is given once per card', async () => {
  const [first, second] = [await createAccount(), await createAccount()]
  expect(await claimTrial(world.deps, first, ['fp_shared', 'fp_own'])).toBe('own')
  expect(await claimTrial(world.deps, second, [])).toBe('own')
  expect(await claimTrial(world.deps, second, ['fp_second', 'fp_shared'])).toBe('card')
  expect(await claimTrial(world.deps, first, ['fp_shared'])).toBe('own')
  const [one, other] = [await createAccount(), await createAccount()]
  const both = await Promise.all([one, other].map((account) => claimTrial(world.deps, account, ['fp_race'])))
  expect(both.toSorted()).toEqual(['card', 'own'])
})

it('stores neither address nor card fingerprint', async () => {
  const rows = await world.db.selectFrom('trial_claims').selectAll().execute()
  expect(rows.length).toBeGreaterThan(5)
  for (const { key_hash } of rows) expect(key_hash).toHaveLength(32)
  expect(JSON.stringify(rows.map(({ key_hash }) => key_hash.toString('latin1')))).not.toMatch(/\.(test|com)|fp_/)
})
