import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildMmdb } from '../../../test/mmdb.ts'
import { openZones, readZone, type Zones } from './zones.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-zones-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

function writeFile(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

const nowhere = { city: '', region: '', timezone: '' }
const vienna = {
  city: { names: { en: 'Vienna', de: 'Wien' } },
  country: { iso_code: 'AT', names: { en: 'Austria' } },
  location: { time_zone: 'Europe/Vienna', latitude: 48 },
  subdivisions: [{ iso_code: '9', names: { en: 'Vienna State' } }],
}

let bundled: Zones
beforeAll(async () => {
  bundled = await openZones()
})

test.each([
  ['8.8.8.8', 'United States'],
  ['::ffff:8.8.8.8', 'United States'],
  ['2001:4860:4860::8888', 'United States'],
  ['193.0.6.139', 'Netherlands'],
  ['133.11.0.1', 'Japan'],
])('the bundled database has the country of %s', (address, country) => {
  expect(bundled.zoneOf(address)).toEqual({ ...nowhere, country })
})

test.each([
  '127.0.0.1',
  '::1',
  '10.1.2.3',
  'fd00::1',
  '169.254.1.1',
  '192.0.2.1',
  '203.0.113.5',
  'nonsense',
  '',
])('a non-public address has no zone: %s', (address) => {
  expect(bundled.zoneOf(address)).toBeNull()
})

test('a city database returns city, region and time zone', async () => {
  const { zoneOf: ofCities } = await openZones(writeFile('city.mmdb', buildMmdb(vienna)))
  const zone = { city: 'Vienna', region: 'Vienna State', country: 'Austria', timezone: 'Europe/Vienna' }
  expect(ofCities('8.8.8.8')).toEqual(zone)
  expect(ofCities('10.1.2.3')).toBeNull()
  // This file has IPv4 addresses only.
  expect(ofCities('2001:4860:4860::8888')).toBeNull()
})

test('a database reports its build date, if it has one', async () => {
  const builtOn = async (epoch: number) => (await openZones(writeFile('dated.mmdb', buildMmdb(vienna, epoch)))).builtOn
  expect(await builtOn(1_767_225_600)).toBe('2026-01-01')
  expect(await builtOn(0)).toBeNull()
  // The documentation names the date of the bundled database.
  const documents = ['running.md', 'licenses.md', 'rules/notifications.md']
  for (const name of documents) expect(fs.readFileSync(`docs/${name}`, 'utf8')).toContain(bundled.builtOn)
})

test('values of the database are limited in length, and there is no zone without a country', () => {
  const long = { ...vienna, city: { names: { en: `V\0${'x'.repeat(500)}` } }, subdivisions: 'none', location: null }
  expect(readZone(long)).toEqual({ ...nowhere, city: `V ${'x'.repeat(98)}`, country: 'Austria' })
  for (const iso_code of ['ZZ', 'QX', 'Austria', '', 7])
    expect(readZone({ ...vienna, country: { iso_code } })).toBeNull()
  for (const record of [null, undefined, 'AT', [], { country_code: 7 }]) expect(readZone(record)).toBeNull()
})

test('an unreadable file is refused in one sentence that names the setting', async () => {
  const whole = buildMmdb(vienna)
  const files = [
    writeFile('text.mmdb', 'nothing'),
    writeFile('empty.mmdb', ''),
    writeFile('cut.mmdb', whole.subarray(0, -60)),
    folder,
  ]
  for (const file of files) {
    await expect(openZones(file)).rejects.toThrow(`GEOIP_DB ${file} is not a readable database in MMDB form.`)
  }
})
