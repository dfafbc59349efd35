import { expect, test } from 'vitest'
import { findMailServerProblems } from '../../../shared/delivery/mail-server.ts'
import { findPreset, mailPresets } from './mail-presets.ts'

test.each(
  mailPresets.map((preset) => [preset.name, preset] as const),
)('%s fills a server that the form accepts, and describes the sign-in in one line', (_, {
  host,
  port,
  security,
  user = 'ann@shop.example',
  signIn,
}) => {
  const entered = { host, port, security, user, password: 'secret', fromAddress: 'ann@shop.example' }
  expect(findMailServerProblems(entered, false)).toEqual({})
  expect(signIn.length).toBeLessThan(120)
})

test('recognizes a provider by its server in any region', () => {
  const names = [
    'email-smtp.eu-west-1.amazonaws.com',
    ' SMTP.eu.mailgun.org',
    'smtp.postmarkapp.com',
    'smtp.shop.example',
  ]
  expect(names.map((host) => findPreset(host)?.name)).toEqual(['Amazon SES', 'Mailgun', 'Postmark', undefined])
})
