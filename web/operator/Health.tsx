import { Card, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { z } from 'zod'
import type { readOperatorHealth } from '../../shared/operator.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { Facts } from '../ui/Facts.tsx'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { Problems } from './Problems.tsx'
import { useOperatorHealth } from './queries.ts'

type HealthView = z.output<typeof readOperatorHealth.reply>

/** Health of the whole installation. */
export function Health() {
  const health = useOperatorHealth()
  return (
    <Loaded query={health} loading={<LoadingCards count={3} />} failed="The health could not be loaded">
      {(view) => (
        <Stack gap="lg">
          <Checks view={view} />
          <Problems problems={view.problems} withAccount />
          <Alarms alarms={view.alarms} />
          <Queues queues={view.queues} />
        </Stack>
      )}
    </Loaded>
  )
}

function Checks({ view: { checks, late } }: { view: HealthView }) {
  return (
    <Card>
      <Title order={2} mb="sm">
        Checks
      </Title>
      <Facts
        entries={[
          ...checks.map(({ name, state }): [string, React.ReactNode] => [
            name.charAt(0).toUpperCase() + name.slice(1),
            <Check key={name} state={state} />,
          ]),
          [
            'Late messages',
            late.since ? (
              <>
                <State key="late" isGood={false} label={formatCounted(late.stores, 'store')} /> since{' '}
                <TimeAgo at={late.since} />
              </>
            ) : (
              <State key="late" isGood label="None" />
            ),
          ],
        ]}
      />
    </Card>
  )
}

/** The problem may be a sentence, which a badge would truncate. */
const Check = ({ state }: { state: string }) => (
  <>
    <State isGood={state === 'ok'} label={state === 'ok' ? 'OK' : 'Problem'} />
    {state !== 'ok' && ` ${state}`}
  </>
)

const State = ({ isGood, label }: { isGood: boolean; label: string }) => (
  <StatusBadge tone={isGood ? 'good' : 'bad'} icon={isGood ? IconCircleCheck : IconAlertTriangle} label={label} />
)

type Alarm = HealthView['alarms'][number]

const Alarms = ({ alarms }: { alarms: Alarm[] }) => (
  <Card padding={0}>
    <Title order={2} p="md" pb="xs">
      Alarms
    </Title>
    {alarms.length === 0 ? (
      <Text px="md" pb="md" c="dimmed">
        No stage of any store has stopped.
      </Text>
    ) : (
      <DataList
        rows={alarms}
        keyOf={({ stage, storeName, since }) => `${storeName} ${stage} ${since}`}
        label="Alarms"
        columns={alarmColumns}
      />
    )}
  </Card>
)

const alarmColumns: readonly DataColumn<Alarm>[] = [
  { id: 'stage', label: 'Stage', sort: null, cell: ({ stage, cause }) => `${stage}: ${cause}` },
  { id: 'store', label: 'Store', sort: null, cell: ({ storeName }) => storeName },
  {
    ...{ id: 'account', label: 'Account', sort: null },
    cell: ({ accountId, accountName }) => <Link to={`/operator/${accountId}`}>{accountName}</Link>,
  },
  { id: 'since', label: 'Since', sort: null, cell: ({ since }) => <TimeAgo at={since} /> },
]

type Queue = HealthView['queues'][number]

const isEmpty = ({ ready, active, later, failed }: Queue) => ready + active + later + failed === 0

/** There are about thirty; empty ones are only counted. */
function Queues({ queues }: { queues: Queue[] }) {
  const shown = queues.filter((queue) => !isEmpty(queue))
  const empty = formatCounted(queues.length - shown.length, 'queue')
  return (
    <Card padding={0}>
      <Title order={2} p="md" pb="xs">
        Queues
      </Title>
      <Text px="md" pb={shown.length > 0 ? 'xs' : 'md'} fz="sm" c="dimmed">
        Jobs that wait, run, or were given up within the last day. {empty}{' '}
        {queues.length - shown.length === 1 ? 'is' : 'are'} empty.
      </Text>
      {shown.length > 0 && <DataList rows={shown} keyOf={({ name }) => name} label="Queues" columns={queueColumns} />}
    </Card>
  )
}

const queueColumns: readonly DataColumn<Queue>[] = [
  { id: 'name', label: 'Queue', sort: null, cell: ({ name }) => name },
  { id: 'ready', label: 'Waiting', sort: null, isNumber: true, cell: ({ ready }) => formatCount(ready) },
  { id: 'active', label: 'Running', sort: null, isNumber: true, cell: ({ active }) => formatCount(active) },
  { id: 'later', label: 'Later', sort: null, isNumber: true, cell: ({ later }) => formatCount(later) },
  { id: 'failed', label: 'Given up', sort: null, isNumber: true, cell: ({ failed }) => formatCount(failed) },
]
