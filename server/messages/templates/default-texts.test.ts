import { expect, test } from 'vitest'
import { pushLimits } from '../../../shared/delivery/push.ts'
import { measureSms } from '../../../shared/messages/sms.ts'
import { findCopyFaults } from '../../../test/copy-parity.ts'
import { defaultTexts, listDefaultTexts } from './default-texts.ts'

const SAMPLE: Readonly<Record<string, string>> = {
  store_name: 'Maple & Clay',
  cart_items: 'Teapot',
  checkout_link: 'https://recoup.example.com/c/AbCdEfGhIjKl',
}

test.each(['de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'])('the texts in %s are complete', (language) => {
  const { sms, push } = defaultTexts[language]!
  const english = defaultTexts.en!
  const withoutName = { sms: english.sms.replace('Hi {{ customer_name }}, ', '') }
  // English notifications have the specification's straight apostrophe.
  expect(
    findCopyFaults({ ...withoutName, push: { title: '-', body: '-' } }, defaultTexts[language]!, language),
  ).toEqual([])
  expect(push.title.length).toBeLessThanOrEqual(pushLimits.title)
  const sent = sms.replace(/\{\{ (\w+) \}\}/g, (_, name) => SAMPLE[name]!)
  expect(measureSms(sent)).toMatchObject({ encoding: 'GSM-7', segments: 1 })
  expect(sms).toContain('STOP')
})

test.each([
  ['de-AT', 'Dein Warenkorb wartet'],
  ['pl-PL', 'Twój koszyk czeka'],
  ['sv-SE', "Don't forget your items!"],
  ['constructor', "Don't forget your items!"],
  [null, "Don't forget your items!"],
])('a store in %s begins with %s', (locale, title) => {
  expect(listDefaultTexts(locale).push.title).toBe(title)
})
