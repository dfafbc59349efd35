import { expect, test } from 'vitest'
import { createId } from '../../core/common/ids.ts'
import { createSecrets } from '../../core/common/secrets.ts'
import { buildReturnPath, parseReturnPath } from './return-path.ts'

const secrets = createSecrets('a secret of the tests, long enough to be one')
const OURS = 'bounces@b.mugs.example'
const read = (address: string) => parseReturnPath(secrets, OURS, address)

test('a return address identifies its message in upper and lower case', () => {
  const id = createId()
  const path = buildReturnPath(secrets, OURS, id)!
  expect(path).toMatch(/^bounces\+[a-z2-7]{42}@b\.mugs\.example$/)
  expect([path, path.toUpperCase()].map(read)).toEqual([id, id])
})

test('a forged or changed return address identifies nothing (X1)', () => {
  const path = buildReturnPath(secrets, OURS, createId())!
  const foreign = buildReturnPath(createSecrets('somebody else’s secret, as long as ours is'), OURS, createId())!
  const other = (letter: string) => (letter === 'a' ? 'b' : 'a')
  const changed = Array.from({ length: 42 }, (_, at) => {
    const index = 'bounces+'.length + at
    return path.slice(0, index) + other(path[index]!) + path.slice(index + 1)
  })
  const strange = [
    '',
    OURS,
    'bounces+@b.mugs.example',
    path.replace('b.mugs', 'c.mugs'),
    `${path}.evil.example`,
    `x${path}`,
  ]
  for (const address of [foreign, ...changed, ...strange]) expect([address, read(address)]).toEqual([address, null])
})

test('another token of the same message is not a return address (X1)', () => {
  const id = createId()
  const link = Buffer.from(secrets.token('unsubscribe', id), 'base64url').subarray(0, 10)
  const mac = Buffer.from(secrets.token('bounce', id), 'base64url').subarray(0, 10)
  expect(link.equals(mac)).toBe(false)
})
