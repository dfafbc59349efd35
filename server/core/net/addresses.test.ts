import { expect, test } from 'vitest'
import { canReach } from './addresses.ts'

test('a store can reach public hosts at WordPress’s ports only', () => {
  for (const url of ['https://recoup.example.org', 'http://recoup.acme.com:8080', 'https://8.8.8.8'])
    expect(canReach(url)).toBe(true)
  for (const url of [
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://10.0.0.5',
    'http://[::1]',
    'https://[fd00::1]',
    'https://recoup.acme.com:3000',
    'http://box.local',
    'http://intranet',
  ]) {
    expect(canReach(url), url).toBe(false)
  }
})
