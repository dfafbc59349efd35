import { expect, test } from 'vitest'
import { buttonCode, easyCode, functionsCode } from './code.ts'

const widget = { origin: 'https://recoup.example', storeKey: 'KEY-1', storeUrl: 'https://shop.example' }
const line = (method: string) =>
  `<script src="https://recoup.example/push/KEY-1.js" data-method="${method}" data-store-url="https://shop.example" defer></script>`

test('each method has its own line, with the store it is of', { tags: ['A2.10'] }, () => {
  expect(easyCode(widget)).toBe(line('easy'))
  expect(buttonCode(widget)).toBe(
    `<button type="button" data-recoup-push hidden>Remind me of my cart</button>\n${line('button')}`,
  )
  expect(functionsCode(widget, '')).toContain(`echo '${line('functions')}';`)
})

test('functions.php serves the worker as it is, at an address of the shop’s own', { tags: ['A2.10'] }, () => {
  const worker = 'self.addEventListener("push", () => `$a {$b} \\n \'quoted\'`)'
  const code = functionsCode(widget, `${worker}\n`)
  expect(code).toContain(`echo <<<'RECOUP_SW'\n${worker}\nRECOUP_SW;\n`)
  expect(code).toContain("$_GET['recoup-sw']")
  expect(code).toContain("header( 'Service-Worker-Allowed: /' );")
  expect(code).toContain("header( 'Content-Type: text/javascript; charset=utf-8' );")
})

test('no address of a store leaves the attribute or the text it stands in', () => {
  const storeUrl = `https://shop.example/a'"<b>&\\`
  expect(easyCode({ ...widget, storeUrl })).toContain('data-store-url="https://shop.example/a%27%22%3Cb%3E%26%5C"')
})
