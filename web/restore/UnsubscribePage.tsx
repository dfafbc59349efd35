import { Button, Stack, Text, Title } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useUnsubscribe, useUnsubscribeInfo } from './queries.ts'
import { ShopperPage } from './ShopperPage.tsx'

/** Opening it changes nothing: mail scanners follow links, people press the button (C3). */
export function UnsubscribePage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const about = useUnsubscribeInfo(token)
  const isUnknown =
    token === '' || (about.error instanceof ApiError && !about.error.isOutage && about.error.status !== 429)
  return (
    <ShopperPage title="Unsubscribe" storeName={about.data?.storeName ?? null} size={480}>
      {about.data ? (
        <Choice token={token} about={about.data} />
      ) : (
        <Stack gap="md">
          <Title order={1}>Unsubscribe</Title>
          {isUnknown ? (
            <Notice tone="warn" isLive>
              This link is not complete. Please open it again from the message you received.
            </Notice>
          ) : about.error ? (
            <Failed title="The page could not be loaded" error={about.error} onRetry={() => about.refetch()} />
          ) : (
            <LoadingList count={1} />
          )}
        </Stack>
      )}
    </ShopperPage>
  )
}

interface About {
  storeName: string
  address: string
  isUnsubscribed: boolean
}

function Choice({ token, about }: { token: string; about: About }) {
  const change = useUnsubscribe(token)
  const { storeName, address, isUnsubscribed } = about
  return (
    <Stack gap="lg">
      <Title order={1}>{isUnsubscribed ? 'You are unsubscribed' : 'Unsubscribe'}</Title>
      <Text role="status">
        {isUnsubscribed ? (
          <>
            <strong>{address}</strong> gets no more reminders from {storeName}.
          </>
        ) : (
          <>
            Stop reminders from {storeName} to <strong>{address}</strong>?
          </>
        )}
      </Text>
      {change.error && (
        <Notice tone="bad" isLive>
          {change.error.message}
        </Notice>
      )}
      {isUnsubscribed ? (
        <div>
          <Text fz="sm" c="dimmed" mb="xs">
            Pressed by mistake?
          </Text>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(false)}>
            Subscribe again
          </Button>
        </div>
      ) : (
        <Button size="md" loading={change.isPending} onClick={() => change.mutate(true)}>
          Unsubscribe
        </Button>
      )}
    </Stack>
  )
}
