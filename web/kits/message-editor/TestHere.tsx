import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { readVapidKey, sendToThisBrowser } from '../../../shared/delivery/push-calls.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useStore } from '../../core/access/queries.ts'
import { BROKEN, call, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useFirstPress } from '../../core/ui/useFirstPress.ts'
import { BrowserRefusal, subscribeThisBrowser } from '../push/this-browser.ts'

interface Props {
  /** The texts as the preview shows them. null: they are not ready, or cannot be sent. */
  words: { title: string; body: string } | null
}

/** Sends a test notification to this browser. It subscribes on the press, and the subscription is not stored (decision 79). */
export function TestHere({ words }: Props) {
  const { publicKey, isAsked } = useKey()
  const test = useTest()
  const isFirst = useFirstPress()
  const store = useStore()
  // A platform without push support has no key and cannot send.
  if (store && !capabilities[store.platform].pushHost) return null
  if (isAsked && publicKey === null) return <NoKey />
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button
          variant="default"
          loading={test.isPending}
          disabled={!publicKey || words === null}
          onClick={() => {
            if (isFirst()) test.mutate({ publicKey: publicKey!, words: words! })
          }}
        >
          Send a test to this browser
        </Button>
      </Group>
      {test.data && (
        <Notice tone={test.data.success ? 'good' : 'bad'} isLive>
          {test.data.success ? test.data.message : `Refused by this browser’s push service. ${test.data.message}`}
        </Notice>
      )}
      {test.error && (
        <Notice tone="bad" isLive>
          {test.error instanceof BrowserRefusal ? test.error.message : getErrorText(test.error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}

/** Loaded before the press: the browser asks for permission only during a press. */
function useKey() {
  const storeId = useStore()?.id ?? ''
  const key = useQuery({
    queryKey: ['store', storeId, 'push', 'key'],
    queryFn: ({ signal }) => call(readVapidKey, { query: { storeId }, signal }),
    enabled: storeId !== '',
  })
  return { publicKey: key.data?.publicKey ?? null, isAsked: key.isSuccess }
}

function useTest() {
  const store = useStore()
  return useMutation({
    mutationFn: async ({ publicKey, words }: { publicKey: string; words: { title: string; body: string } }) => {
      const subscription = await subscribeThisBrowser(publicKey)
      const body = { ...words, storeUrl: store!.store_url, subscription }
      return call(sendToThisBrowser, { query: { storeId: store!.id }, body })
    },
  })
}

const NoKey = () => (
  <Text fz="sm" c="dimmed">
    A test to this browser needs the store’s VAPID keys. Generate them under{' '}
    <Anchor component={Link} to="/push-notifications" inherit underline="always">
      Push notifications
    </Anchor>
    .
  </Text>
)
