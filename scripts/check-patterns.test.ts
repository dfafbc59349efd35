import { expect, test } from 'vitest'
import { explainSlowness } from './check-patterns.ts'

// Tests the check itself. `npm test` applies it to the code.

test.each([
  [/^(\s*\{%[^%]*%\}\s*)+$/],
  [/(a|a)*b/],
  [/(&gt;|[.,;:!?)\]])+$/],
  [/[ \t]*\r?\n/g],
  [/^[^\p{L}]+|[^\p{L}]+$/gu],
  [/\{%[^%]*\(\s*[^)]*\.\.[^)]*\)/],
  [/(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})/],
  [/<head(\s[^>]*)?>/i],
  [/<form.*?<\/form>/gs],
  [/(oauth_[a-z_-]*)=(?:"([^"]*)"|([^,\s]*))/g],
  [/snapchat.*preview|bot/i],
  [/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/],
  [/\/+$/],
])('%s is found', (pattern) => {
  expect(explainSlowness(pattern.source, pattern.flags)).toMatch(/exponential|quadratic/)
})

test.each([
  [/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/],
  [/<[^<>]*>/g],
  [/(?<!\/)\/+$/],
  [/\s+/g],
  [/\[([^\]]*)\]/gy],
  [/^a.*b/],
])('%s is not', (pattern) => {
  expect(explainSlowness(pattern.source, pattern.flags)).toBeNull()
})
