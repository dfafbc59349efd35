import dgram from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { dnsLookup, openGuardedHttp } from './guarded-fetch.ts'

// Shops with a silent name server delay no other look-up (D8).

const open: (() => unknown)[] = []
afterEach(() => Promise.all(open.splice(0).map((close) => close())))

/**
 * Resolves names that begin with "live" to 127.0.0.1, does not know names that begin with "no", answers "fails" and
 * "refused" with these errors, and ignores the others.
 */
async function createNameServer() {
  const server = dgram.createSocket('udp4')
  let requests = 0
  server.on('message', (question, from) => {
    const isFour =
      question.readUInt16BE(question.length - 4 - (question.includes(Buffer.from([0, 0, 41])) ? 11 : 0)) === 1
    const name = question.subarray(13).toString('latin1')
    requests += 1
    const code = { live: 0, no: 3, fails: 2, refused: 5 }[/^(live|no|fails|refused)/.exec(name)?.[0] ?? '']
    if (code === undefined) return
    const end = question.indexOf(0, 12) + 5
    const isFound = name.startsWith('live') && isFour
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x8180 + code, 2)
    head.writeUInt16BE(isFound ? 1 : 0, 6)
    head.fill(0, 8)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 127, 0, 0, 1])
    server.send(
      Buffer.concat([head, question.subarray(12, end), ...(isFound ? [answer] : [])]),
      from.port,
      from.address,
    )
  })
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done))
  open.push(() => new Promise<void>((done) => server.close(() => done())))
  return { servers: [`127.0.0.1:${server.address().port}`], count: () => requests }
}

const notThere: LookupFunction = (_name, _options, done) =>
  done(Object.assign(new Error('not in the file of hosts'), { code: 'ENOTFOUND' }), '', 0)

const lookUp = (lookup: ReturnType<typeof dnsLookup>, name: string) =>
  new Promise<LookupAddress[] | string>((done) => {
    lookup(name, { all: true }, (error, found) => done(error ? (error.code ?? 'error') : (found as LookupAddress[])))
  })

test('a name resolves while more look-ups than threads wait for silent name servers', async () => {
  const { servers, count } = await createNameServer()
  // When the name server is closed, all of them fail at once, and would take the system's threads from the tests that follow.
  const patient = dnsLookup({ servers, timeoutMs: 60_000, fallback: notThere })
  for (let n = 0; n < 150; n++) void lookUp(patient, `dead${n}.example`)
  await expect.poll(count).toBeGreaterThan(130)
  expect(await lookUp(dnsLookup({ servers }), 'live.example')).toEqual([{ address: '127.0.0.1', family: 4 }])
})

test('a local name resolves while the DNS is silent', async () => {
  const { servers, count } = await createNameServer()
  const found = await lookUp(dnsLookup({ servers, timeoutMs: 60_000 }), 'localhost')
  expect(found).toContainEqual(expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) }))
  expect(count()).toBe(0)
})

test('a silent name server is a timeout, an unknown name or a DNS error a name without an address', async () => {
  const { servers } = await createNameServer()
  const ask = (name: string, timeoutMs = 60_000) => {
    const lookup = dnsLookup({ servers, timeoutMs, fallback: notThere })
    const http = openGuardedHttp({ allowPrivate: true, lookup, connectTimeoutMs: 60_000 })
    open.push(() => http.close())
    return http.fetch(`http://${name}/`)
  }
  await expect(ask('dead.example', 500)).rejects.toMatchObject({ kind: 'timeout' })
  await expect(ask('no-such-name.invalid')).rejects.toMatchObject({ kind: 'dns', detail: 'the name has no address' })
  const failed = { kind: 'dns', detail: 'the DNS answers with an error for this name' }
  await expect(ask('fails.example')).rejects.toMatchObject(failed)
  await expect(ask('refused.example')).rejects.toMatchObject(failed)
})

test('only a name unknown to the DNS is resolved by the system with its hosts file', async () => {
  const { servers } = await createNameServer()
  const requests: string[] = []
  const lookup = dnsLookup({
    servers,
    timeoutMs: 60_000,
    fallback: (name, _, done) => {
      requests.push(name)
      done(null, [{ address: '192.0.2.1', family: 4 }])
    },
  })
  expect(await lookUp(lookup, 'no-dns.example')).toEqual([{ address: '192.0.2.1', family: 4 }])
  expect(await lookUp(lookup, 'fails.example')).toBe('EAI_FAIL')
  expect(await lookUp(lookup, 'refused.example')).toBe('EAI_FAIL')
  expect(requests).toEqual(['no-dns.example'])
})

test('shops restricted to public addresses are resolved over sockets', async () => {
  const { servers, count } = await createNameServer()
  const http = openGuardedHttp({ allowPrivate: false, nameServers: servers })
  open.push(() => http.close())
  await expect(http.fetch('http://live.example/')).rejects.toMatchObject({ kind: 'private_address' })
  expect(count()).toBeGreaterThan(0)
})
