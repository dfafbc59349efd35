import { expect, test } from 'vitest'
import { chooseFirstTab, hasSentMessages } from './CampaignPage.tsx'

const none = { planned: 0, waiting: 0, held: 0, inFlight: 0, sent: 0, skipped: 0, failed: 0, unknown: 0, cancelled: 0 }
const some = { ...none, planned: 7, sent: 7 }

test('opens a campaign with messages at its report, one without at its details', () => {
  expect([chooseFirstTab({ counts: some }), chooseFirstTab({ counts: none })]).toEqual(['report', 'details'])
})

test('notes that changes apply only to future messages once some were sent', () => {
  const hasSent = (status: 'sent' | 'completed' | 'scheduled', counts = some) => hasSentMessages({ status, counts })
  expect([hasSent('sent'), hasSent('completed'), hasSent('scheduled'), hasSent('completed', none)]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
