import { expect, test } from 'vitest'
import { isConnectRequest } from './request.ts'

test('a request to connect is known by its path and its question, whatever else is asked', () => {
  const cases: [string, boolean][] = [
    ['/store-setup?connect=abc', true],
    ['/store-setup/?platform=shopify&connect=abc', true],
    ['/store-setup', false],
    ['/store-setup?connect=', false],
    ['/store-setup?reconnect=abc', false],
    ['/dashboard?connect=abc', false],
  ]
  for (const [address, isRequest] of cases) expect([address, isConnectRequest(address)]).toEqual([address, isRequest])
})
