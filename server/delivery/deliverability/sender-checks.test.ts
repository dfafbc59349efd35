import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NameServer, openNameServer } from '../../../providers/contracts/dns.ts'
import { type DnsLookup, openDns } from '../../core/net/dns.ts'
import { readDkim, readDmarc } from './mail-keys.ts'
import { dkimCheck, dmarcCheck, spfCheck } from './sender-checks.ts'
import { readSpf } from './spf.ts'

let server: NameServer
let dns: DnsLookup
const host = 'mail.relay.com'
const ours = { host, addresses: ['203.0.113.7'] }

beforeAll(async () => {
  server = await openNameServer({
    'mail.relay.com': { A: ['203.0.113.7'] },
    '_spf.relay.com': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  })
  dns = openDns({ servers: [server.address], limitMs: 20_000 })
})
afterAll(() => server.close())

describe('SPF', () => {
  const spf = (record: string | string[] | null, at = ours) => {
    server.zone['shop.com'] = record === null ? {} : { TXT: [record].flat() }
    return readSpf(dns, 'shop.com', at).then((found) => spfCheck('shop.com', found, at.host))
  }

  test.each([
    'v=spf1 ip4:203.0.113.7 -all',
    'v=spf1 ip4:203.0.113.0/28 ~all',
    'v=spf1 a:mail.relay.com -all',
    'v=spf1 include:_spf.relay.com -all',
    'V=SPF1 redirect=_spf.relay.com',
  ])('that names our mail server is good: %s', async (record) => {
    expect(await spf(record)).toMatchObject({ state: 'good', answer: record, record: null })
  })

  test('is found by MX hosts, by own address, and in a record of several strings', async () => {
    server.zone['mx.shop.com'] = { A: ['203.0.113.7'] }
    server.zone['shop.com'] = { TXT: ['v=spf1 mx -all'], MX: ['mx.shop.com'] }
    expect((await readSpf(dns, 'shop.com', ours)).kind).toBe('found')
    expect(await readSpf(dns, 'shop.com', ours)).toMatchObject({ isCovering: true })
    const long = `v=spf1 ${Array.from({ length: 20 }, (_, index) => `ip4:198.51.100.${index}`).join(' ')} ip4:203.0.113.7 -all`
    expect(await spf(long)).toMatchObject({ state: 'good' })
  })

  test('that allows only others is a warning with the changed record', async () => {
    expect(await spf('v=spf1 ip4:198.51.100.1 -ip4:203.0.113.7 ?a:mail.relay.com ~all')).toMatchObject({
      state: 'warn',
      record: { name: 'shop.com', type: 'TXT', value: expect.stringMatching(/^v=spf1 a:mail\.relay\.com ip4:198/) },
    })
  })

  test('of a large provider is recognized by its published name', async () => {
    server.zone['sendgrid.net'] = { TXT: ['v=spf1 ip4:167.89.0.0/17 ~all'] }
    const provider = { host: 'smtp.sendgrid.net', addresses: ['192.0.2.1'] }
    expect(await spf('v=spf1 include:sendgrid.net ~all', provider)).toMatchObject({ state: 'good' })
    expect(await spf(null, provider)).toMatchObject({
      state: 'bad',
      record: { value: 'v=spf1 include:sendgrid.net ~all' },
    })
  })

  test('that is missing, duplicated, open to everyone or too deep is bad', async () => {
    expect(await spf(null)).toMatchObject({ state: 'bad', record: { value: 'v=spf1 a:mail.relay.com ~all' } })
    expect(await spf(['verification=1'])).toMatchObject({
      state: 'bad',
      finding: expect.stringContaining('does not state'),
    })
    expect(await spf(['v=spf1 -all', 'v=spf1 mx -all'])).toMatchObject({
      state: 'bad',
      finding: expect.stringContaining('several'),
    })
    expect(await spf('v=spf1 ip4:203.0.113.7 +all')).toMatchObject({
      state: 'bad',
      record: { value: 'v=spf1 ip4:203.0.113.7 ~all' },
    })
    server.zone['loop.com'] = { TXT: ['v=spf1 include:loop.com -all'] }
    expect(await spf('v=spf1 include:loop.com -all')).toMatchObject({
      state: 'bad',
      finding: expect.stringContaining('ten look-ups'),
    })
  })

  test('that cannot be looked up is neither good nor bad', async () => {
    server.failing.add('broken.com')
    const found = await readSpf(dns, 'broken.com', ours)
    expect(spfCheck('broken.com', found, host)).toMatchObject({ state: 'quiet', nextStep: expect.any(String) })
  })
})

describe('DKIM', () => {
  const dkim = (domain: string, selector?: string) =>
    readDkim(dns, domain, selector).then((found) => dkimCheck(domain, found))

  test('is found under a common or given selector, or revoked', async () => {
    server.zone['s1._domainkey.signed.com'] = { TXT: ['v=DKIM1; k=rsa; p=MIGf'] }
    server.zone['shop-2026._domainkey.own.com'] = { TXT: ['k=rsa; p=MIGf'] }
    server.zone['s1._domainkey.old.com'] = { TXT: ['v=DKIM1; p='] }
    expect(await dkim('signed.com')).toMatchObject({ state: 'good', finding: expect.stringContaining('“s1”') })
    expect(await dkim('own.com')).toMatchObject({ state: 'warn', nextStep: expect.stringContaining('selector') })
    expect(await dkim('own.com', 'shop-2026')).toMatchObject({ state: 'good' })
    expect(await dkim('own.com', 'other')).toMatchObject({ state: 'bad' })
    expect(await dkim('old.com')).toMatchObject({ state: 'bad', finding: expect.stringContaining('revoked') })
  })

  test('is certainly missing if the domain for keys does not exist', async () => {
    server.zone['plain.com'] = { TXT: ['hello'] }
    expect(await dkim('plain.com')).toMatchObject({ state: 'bad', nextStep: expect.stringContaining('below') })
  })
})

describe('DMARC', () => {
  const dmarc = (domain: string) => readDmarc(dns, domain).then((found) => dmarcCheck(domain, found))

  test('is found at the domain or a parent', async () => {
    server.zone['_dmarc.guarded.com'] = { TXT: ['v=DMARC1; p=reject; sp=none'] }
    expect(await dmarc('guarded.com')).toMatchObject({ state: 'good', finding: expect.stringContaining('refused') })
    expect(await dmarc('news.guarded.com')).toMatchObject({
      state: 'good',
      finding: expect.stringMatching(/guarded\.com.*monitor/),
    })
  })

  test('that is missing, duplicated or without a policy is bad, with the record to add', async () => {
    server.zone['bare.com'] = { TXT: [] }
    server.zone['_dmarc.twice.com'] = { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }
    server.zone['_dmarc.vague.com'] = { TXT: ['v=DMARC1; p=maybe'] }
    expect(await dmarc('bare.com')).toMatchObject({
      state: 'bad',
      record: { name: '_dmarc.bare.com', value: expect.stringContaining('p=none') },
    })
    expect(await dmarc('twice.com')).toMatchObject({ state: 'bad', finding: expect.stringContaining('several') })
    expect(await dmarc('vague.com')).toMatchObject({
      state: 'bad',
      finding: expect.stringContaining('no valid policy'),
    })
  })
})

test('an unresponsive name server is awaited no longer than the limit', async () => {
  server.silent.add('slow.com')
  const impatient = openDns({ servers: [server.address], limitMs: 300 })
  expect(await impatient.txt('slow.com')).toEqual({ kind: 'failed', reason: 'the name server did not answer in time' })
  // After two seconds it would have been asked again.
  expect(server.questions.filter((name) => name === 'slow.com')).toHaveLength(1)
})
