import { expect, test } from 'vitest'
import { applyOwnName } from './own-name.ts'

const page =
  '<head><meta name="application-name" content="Recoup" /><link rel="icon" href="/favicon.svg" type="image/svg+xml" /><title>Recoup</title></head><svg width="32" height="32" class="logo-mark"><path/></svg><p>Recoup reads. WooCommerce → Recoup</p><a href="/terms">Terms</a><a href="/privacy">Privacy</a>'
const unset = {
  instanceName: 'Recoup',
  instanceLogo: undefined,
  termsUrl: undefined,
  privacyUrl: undefined,
  imprintUrl: undefined,
}

test('pages stay as they are without the settings', () => {
  expect(applyOwnName(page, unset)).toBe(page)
})

test('pages show the instance’s name, logo and legal pages, and the plugin keeps its name', () => {
  const own = {
    instanceName: 'Tea & $& Co',
    instanceLogo: '/etc/logo.png',
    termsUrl: 'https://tea.example/terms?a=1&b=2',
    privacyUrl: 'https://tea.example/privacy',
    imprintUrl: 'https://tea.example/imprint',
  }
  expect(applyOwnName(page, own)).toBe(
    '<head><meta name="application-name" data-logo="/instance-logo" content="Tea &#38; $&#38; Co" /><link rel="icon" href="/instance-logo" type="image/png" /><title>Tea &#38; $&#38; Co</title></head><img src="/instance-logo" alt="" width="32" height="32" class="logo-mark"><p>Tea &#38; $&#38; Co reads. WooCommerce → Recoup</p><a href="https://tea.example/terms?a=1&#38;b=2">Terms</a><a href="https://tea.example/privacy">Privacy</a><a href="https://tea.example/imprint">Imprint</a>',
  )
})
