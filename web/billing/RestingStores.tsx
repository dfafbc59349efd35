import { Button, Card, List, Text, Title } from '@mantine/core'
import { IconZzz } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasPermission, useMe } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { formatCounted } from '../ui/format.ts'
import { describeMissing, describeWakeOptions } from './change-copy.ts'
import { getFailureText } from './failure.ts'
import { useChooseRestingStores, useRestingStores } from './payment-queries.ts'
import type { Overview } from './queries.ts'
import { RestingChoice } from './RestingChoice.tsx'

/** Stores that send nothing because they exceed the plan's limit (decision 85). Renders nothing if all fit. */
export function RestingStores({ subscription }: { subscription: Overview['subscription'] }) {
  const stores = useRestingStores().data?.stores ?? []
  const [isAsking, setAsking] = useState(false)
  const isDemo = useMe()?.isDemo ?? false
  const mayChoose = useHasPermission('billing:write') && !isDemo
  const resting = stores.filter(({ isResting }) => isResting)
  if (resting.length === 0) return null
  const awake = stores.length - resting.length
  return (
    <Card component="section" aria-label="Resting stores">
      <Title order={2} mb="sm">
        Resting stores
      </Title>
      <Text>
        The plan has room for {formatCounted(awake, 'store')}, and {stores.length} are connected. A store that rests
        goes on capturing carts and syncing. It sends nothing until the plan has room for it.
      </Text>
      <List mt="sm" spacing={6} icon={<IconZzz size={16} aria-hidden style={{ display: 'block' }} />} center>
        {resting.map(({ id, name, url }) => (
          <List.Item key={id}>
            {name}{' '}
            <Text span fz="sm" c="dimmed">
              {url.replace(/^https?:\/\//, '')}
            </Text>
          </List.Item>
        ))}
      </List>
      <Text mt="sm">{describeWakeOptions(subscription)}</Text>
      {mayChoose && (
        <Button variant="default" mt="md" w="fit-content" onClick={() => setAsking(true)}>
          Choose which stores rest
        </Button>
      )}
      {mayChoose && (
        <Chooser opened={isAsking} stores={stores} needed={resting.length} onClose={() => setAsking(false)} />
      )}
    </Card>
  )
}

interface ChooserProps {
  opened: boolean
  stores: NonNullable<ReturnType<typeof useRestingStores>['data']>['stores']
  needed: number
  onClose: () => void
}

function Chooser({ opened, stores, needed, onClose }: ChooserProps) {
  const rest = useChooseRestingStores()
  const now = stores.filter(({ isResting }) => isResting).map(({ id }) => id)
  const [chosen, setChosen] = useState<string[] | null>(null)
  const shown = chosen ?? now
  const close = () => {
    setChosen(null)
    rest.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title="Choose which stores rest"
      confirmLabel="Save"
      isBusy={rest.isPending}
      isDisabled={describeMissing(needed, shown.length) !== null}
      problem={getFailureText(rest.error, 'Which stores rest could not be saved. Please try again.')}
      onConfirm={() =>
        rest.mutate(shown, {
          onSuccess: () => {
            close()
            announce('Saved which stores rest')
          },
        })
      }
      onClose={close}
    >
      <RestingChoice
        label={`${formatCounted(needed, 'store')} of ${stores.length} ${needed === 1 ? 'has' : 'have'} to rest`}
        needed={needed}
        stores={stores}
        chosen={shown}
        onChoose={setChosen}
      />
    </Confirm>
  )
}
