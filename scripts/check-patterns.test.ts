import { expect, test } from 'vitest'
import { whySlow } from './check-patterns.ts'

// Whether one of ours is slow is a static check of `npm test`; these look at the check itself.

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
  expect(whySlow(pattern.source, pattern.flags)).toMatch(/exponential|quadratic/)
})

test.each([
  [/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/],
  [/<[^<>]*>/g],
  [/(?<!\/)\/+$/],
  [/\s+/g],
  [/\[([^\]]*)\]/gy],
  [/^a.*b/],
])('%s is not', (pattern) => {
  expect(whySlow(pattern.source, pattern.flags)).toBeNull()
})
