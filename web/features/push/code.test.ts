import { expect, test } from 'vitest'
import { buttonCode, easyCode, functionsCode } from './code.ts'

const widget = { origin: 'https://recoup.example', storeKey: 'KEY-1', storeUrl: 'https://shop.example' }
const findLine = (method: string) =>
  `<script src="https://recoup.example/push/KEY-1.js" data-method="${method}" data-store-url="https://shop.example" defer></script>`

test('gives each method its own line with the store’s address', { tags: ['A2.10'] }, () => {
  expect(easyCode(widget)).toBe(findLine('easy'))
  expect(buttonCode(widget)).toBe(
    `<button type="button" data-recoup-push hidden>Remind me of my cart</button>\n${findLine('button')}`,
  )
  expect(functionsCode(widget, '')).toContain(`echo '${findLine('functions')}';`)
})

test('serves the worker unchanged from functions.php, at the shop’s own address', { tags: ['A2.10'] }, () => {
  const worker = 'self.addEventListener("push", () => `$a {$b} \\n \'quoted\'`)'
  const code = functionsCode(widget, `${worker}\n`)
  expect(code).toContain(`echo <<<'RECOUP_SW'\n${worker}\nRECOUP_SW;\n`)
  expect(code).toContain("$_GET['recoup-sw']")
  expect(code).toContain("header( 'Service-Worker-Allowed: /' );")
  expect(code).toContain("header( 'Content-Type: text/javascript; charset=utf-8' );")
})

test('escapes a store’s address in attributes and text', () => {
  const storeUrl = `https://shop.example/a'"<b>&\\`
  expect(easyCode({ ...widget, storeUrl })).toContain('data-store-url="https://shop.example/a%27%22%3Cb%3E%26%5C"')
})
