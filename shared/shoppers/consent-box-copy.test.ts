import { expect, test } from 'vitest'
import { findCopyFaults } from '../../test/copy-parity.ts'
import { maxConsentWording } from './consent.ts'
import { boxChannels, getReadyBoxText } from './consent-box.ts'
import { boxCopy, readyLanguages } from './consent-box-copy.ts'

test.each(readyLanguages)('the consent boxes in %s are complete and name the shop', (language) => {
  expect(findCopyFaults(boxCopy.en, boxCopy[language], language)).toEqual([])
  for (const channel of boxChannels) {
    const text = getReadyBoxText(channel, 'Tea $& Co', language)
    expect(text).toContain('Tea $& Co')
    expect(text.length).toBeLessThanOrEqual(maxConsentWording)
    if (channel !== 'email') expect(text).toContain('STOP')
  }
})
