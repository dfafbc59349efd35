import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconPlayerPause, IconPlugOff } from '@tabler/icons-react'
import type { z } from 'zod'
import type { readOperatorAccount } from '../../shared/operator.ts'
import { explain } from '../../shared/reasons.ts'
import { formatBalance } from '../billing/credit-copy.ts'
import { Meters } from '../billing/Meters.tsx'
import { Facts } from '../ui/Facts.tsx'
import { formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime, TimeAgo } from '../ui/Time.tsx'
import { AccountActions } from './AccountActions.tsx'
import { Standing } from './Accounts.tsx'
import { ActionList } from './Actions.tsx'
import { Problems } from './Problems.tsx'
import { useOperatorAccount, useView } from './queries.ts'
import { formatPlan, formatSource } from './rules.ts'

type View = z.output<typeof readOperatorAccount.reply>

export function OneAccount({ accountId }: { accountId: string }) {
  const account = useOperatorAccount(accountId)
  return (
    <>
      {!account.data && (
        <Title order={1} mb="md">
          Account
        </Title>
      )}
      <Loaded query={account} loading={<LoadingCards count={4} />} failed="The account could not be loaded">
        {(view) => (
          <Stack gap="lg">
            <Summary view={view} />
            {view.problems.length > 0 && <Problems problems={view.problems} />}
            <Card>
              <Title order={2} mb="sm">
                Used this month
              </Title>
              <Meters usage={view.usage} />
            </Card>
            <Stores view={view} />
            <Waiting waiting={view.waiting} />
            <Members members={view.account.members} />
            <Card padding={0}>
              <Title order={2} p="md" pb="xs">
                Actions of operators
              </Title>
              {view.actions.length > 0 ? (
                <ActionList rows={view.actions} />
              ) : (
                <Text px="md" pb="md" c="dimmed">
                  Nothing was done yet.
                </Text>
              )}
            </Card>
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function Summary({ view: { account } }: { view: View }) {
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Title order={1}>{account.name}</Title>
        <Standing account={account} />
      </Group>
      {account.suspendedAt && (
        <Notice tone="bad" title="Sending is suspended">
          {account.suspendedReason} {account.suspendedBy && `By ${account.suspendedBy}, `}
          <DateTime at={account.suspendedAt} />.
        </Notice>
      )}
      <Card>
        <Facts
          entries={[
            ['Owner', account.ownerEmail ?? '-'],
            ['Plan', formatPlan(account)],
            ['Which is', formatSource(account.source)],
            ['SMS credits', formatBalance(account.creditMicros)],
            ['Since', <DateTime key="since" at={account.createdAt} />],
            ['Id', account.id],
          ]}
        />
        <div style={{ marginTop: 16 }}>
          <AccountActions account={account} />
        </div>
      </Card>
    </Stack>
  )
}

function Stores({ view: { account, stores } }: { view: View }) {
  const look = useView(account.id)
  return (
    <Card>
      <Title order={2} mb="sm">
        Stores
      </Title>
      {stores.length === 0 && <Text c="dimmed">No store was connected.</Text>}
      <ul className="operator-problems">
        {stores.map((store) => (
          <li key={store.id}>
            <div className="operator-problem">
              <strong>{store.name}</strong>
              <Text fz="sm" c="dimmed">
                {store.url}
              </Text>
              <Group gap="xs" mt={4}>
                <StoreState store={store} />
                {store.stopped.map(({ stage, cause, since }) => (
                  <Text key={stage} fz="sm">
                    {stage}: {cause}, <TimeAgo at={since} />
                  </Text>
                ))}
              </Group>
            </div>
            {store.isActive && (
              <Button
                variant="default"
                size="sm"
                aria-label={`View ${store.name}`}
                loading={look.isPending && look.variables === store.id}
                onClick={() => look.mutate(store.id)}
              >
                View
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function StoreState({ store }: { store: View['stores'][number] }) {
  if (!store.isActive) return <StatusBadge tone="quiet" icon={IconPlugOff} label="Disconnected" />
  if (store.stopped.length > 0) return <StatusBadge tone="bad" icon={IconAlertTriangle} label="Stopped" />
  if (store.isPaused) return <StatusBadge tone="warn" icon={IconPlayerPause} label="Paused by the team" />
  return <StatusBadge tone="good" icon={IconCircleCheck} label="Works" />
}

const Waiting = ({ waiting }: Pick<View, 'waiting'>) => (
  <Card>
    <Title order={2} mb="sm">
      Messages that wait
    </Title>
    {waiting.length === 0 ? (
      <Text c="dimmed">None.</Text>
    ) : (
      <Facts
        entries={waiting.map(({ reason, count, oldestAt }) => [
          formatCount(count),
          <span key={reason}>
            {reason ? explain(reason) : 'Scheduled.'} The first was due <DateTime at={oldestAt} />.
          </span>,
        ])}
      />
    )}
  </Card>
)

const Members = ({ members }: Pick<View['account'], 'members'>) => (
  <Card>
    <Title order={2} mb="sm">
      Members
    </Title>
    <ul className="operator-problems">
      {members.map(({ email, name, role, isConfirmed }) => (
        <li key={email}>
          <div className="operator-problem">
            <strong>{name}</strong>
            <Text fz="sm" c="dimmed">
              {email} · {role}
              {!isConfirmed && ' · address not confirmed'}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  </Card>
)
