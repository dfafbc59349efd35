import { expect, test } from 'vitest'
import { readSmtpUrl } from './smtp-settings.ts'

test('a password is never sent unencrypted to a remote server', () => {
  expect(readSmtpUrl('smtp://u:p%40ss@mail.example.com')).toMatchObject({
    port: 587,
    isTlsRequired: true,
    isCertificateChecked: true,
    auth: { user: 'u', pass: 'p@ss' },
  })
  expect(readSmtpUrl('smtps://u:p@mail.example.com')).toMatchObject({ port: 465, isTlsFromStart: true })
  expect(readSmtpUrl('smtp://u:p@mail.example.com?requireTLS=false').isTlsRequired).toBe(false)
})

test('a mail server on this machine may have a self-signed certificate', () => {
  expect(readSmtpUrl('smtp://[::1]:25')).toMatchObject({
    host: '::1',
    isCertificateChecked: false,
    isTlsRequired: false,
  })
})
