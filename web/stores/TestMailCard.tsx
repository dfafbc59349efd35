import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMay, useMe } from '../access/queries.ts'
import { CheckList } from '../ui/CheckList.tsx'
import { Failed } from '../ui/Failed.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useTestMail } from './sending-queries.ts'

/** A real mail over the real way, with what the mail server says at each step. */
export function TestMailCard() {
  const me = useMe()
  const isAllowed = useMay('flows:switch')
  const test = useTestMail()
  return (
    <Card component="section" aria-label="Test mail">
      <Title order={2}>Test mail</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Sends a real mail to {me?.email ?? 'you'}, the way your messages go, from the sender that is saved. Each step
        shows the mail server’s own answer.
      </Text>
      <Stack gap="md" align="stretch">
        <Button
          variant="default"
          w="fit-content"
          leftSection={<IconSend size={16} aria-hidden />}
          loading={test.isPending}
          disabled={!isAllowed}
          onClick={() => test.mutate()}
        >
          {test.data ? 'Send another' : 'Send test mail'}
        </Button>
        {!isAllowed && <Notice tone="info">Only the owner or an admin of the account can send a test mail.</Notice>}
        {test.error && <Failed title="The test mail was not sent" error={test.error} onRetry={() => test.mutate()} />}
        {test.data && !test.isPending && (
          <>
            <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
              {test.data.isAccepted
                ? `The mail server took the mail to ${test.data.to}.`
                : `The mail to ${test.data.to} was not sent.`}
            </Notice>
            <CheckList label="Steps of the test mail" checks={test.data.steps} />
          </>
        )}
      </Stack>
    </Card>
  )
}
