import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import type { z } from 'zod'
import type { reviewPlugin } from '../../shared/plugin.ts'
import { storeTexts } from '../../shared/stores.ts'
import { dropRequest } from '../access/request.ts'
import { getErrorText } from '../accounts/queries.ts'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useConfirmRequest, useConnectRequest } from './plugin-queries.ts'

/** A shop's plugin sent its owner here to confirm shop and account. */
export function ConnectRequest({ request }: { request: string }) {
  const asked = useConnectRequest(request)
  useEffect(dropRequest, [])
  if (asked.isPending) return <LoadingCards count={1} rows={4} />
  if (asked.error) {
    return (
      <Stack gap="lg">
        <Title order={1}>Connect this shop?</Title>
        <Failed title="The shop cannot be connected" error={asked.error} onRetry={() => asked.refetch()} />
      </Stack>
    )
  }
  return <Confirm request={request} asked={asked.data} />
}

function Confirm({ request, asked }: { request: string; asked: z.infer<typeof reviewPlugin.reply> }) {
  const confirm = useConfirmRequest()
  const { homeUrl, name, account, problem, cancelUrl } = asked
  const connect = () => confirm.mutate(request, { onSuccess: ({ url }) => location.assign(url) })
  return (
    <Card padding="xl">
      <Stack gap="lg">
        <div>
          <Title order={1}>Connect this shop?</Title>
          <Text c="dimmed" mt={4}>
            Its plugin asked for it. The plugin reports carts and orders; Recoup also reads orders, customers and
            products if it can reach the shop. Nothing is sent to anyone until you switch a flow on.
          </Text>
        </div>
        <Facts
          entries={[
            ['Shop', name || homeUrl],
            ['Address', homeUrl],
            ['Your account', account],
          ]}
        />
        {problem && (
          <Notice tone="warn" title="This shop cannot be connected here">
            {problem.message}
          </Notice>
        )}
        {confirm.error && (
          <Notice tone="bad" title="Connection failed" isLive>
            {getErrorText(confirm.error, storeTexts.connectFailed)}
          </Notice>
        )}
        <Group gap="sm">
          {problem ? (
            <Button component="a" href={problem.backUrl}>
              Back to WordPress
            </Button>
          ) : (
            <>
              <Button onClick={connect} loading={confirm.isPending || confirm.isSuccess}>
                Connect
              </Button>
              <Button component="a" href={cancelUrl} variant="default">
                Cancel
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Card>
  )
}
