import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SendChannel } from '../../shared/reminders.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { useFirstPress } from '../ui/useFirstPress.ts'
import { type TestOf, useTestSend } from './queries.ts'

/** Marked as a test, with links that change nothing. A mail goes to the address one signs in with. */
export function TestSend({ channel, of }: { channel: SendChannel; of: TestOf }) {
  const [to, setTo] = useState('')
  const test = useTestSend()
  const isFirst = useFirstPress()
  const isText = channel !== 'email'
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        {isText && (
          <TextInput
            label="Your phone number"
            type="tel"
            autoComplete="tel"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        )}
        <Button
          variant="default"
          loading={test.isPending}
          disabled={isText && to.trim() === ''}
          onClick={() => {
            if (isFirst()) test.mutate({ ...of, ...(isText && { to: to.trim() }) })
          }}
        >
          Send a test to myself
        </Button>
      </Group>
      {test.data && (
        <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
          {test.data.isAccepted
            ? `Sent to ${test.data.to}. It arrives in a moment.`
            : `Refused for ${test.data.to}. ${test.data.response}`}{' '}
          {test.data.couponNote}
        </Notice>
      )}
      {test.error && (
        <Notice tone="bad" isLive>
          {getErrorText(test.error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}
