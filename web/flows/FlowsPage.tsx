import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { FlowView } from '../../shared/flows.ts'
import { LiftCard } from '../lift/LiftCard.tsx'
import { Empty } from '../ui/Empty.tsx'
import { counted, formatMinutes } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { CountsBar } from './CountsBar.tsx'
import { FlowSwitchMark } from './FlowSwitchMark.tsx'
import { useFlows } from './queries.ts'

export function FlowsPage() {
  const flows = useFlows()
  return (
    <>
      <PageTitle title="Flows" text="Automatic messages after a cart is abandoned." />
      <Loaded query={flows} loading={<LoadingCards count={1} rows={3} />} failed="The flows could not be loaded">
        {(data) =>
          data.flows.length === 0 ? (
            <Empty icon={IconRoute} text="There is no flow yet. One is created when you connect a store." />
          ) : (
            <Stack gap="md">
              {data.flows.map((flow) => (
                <FlowCard key={flow.id} flow={flow} />
              ))}
              <LiftCard />
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}

function FlowCard({ flow }: { flow: FlowView }) {
  return (
    <Card>
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2}>
          <Link to={`/flows/${flow.id}`} className="plain-link">
            {flow.name}
          </Link>
        </Title>
        <FlowSwitchMark isOn={flow.isOn} />
      </Group>
      <Text fz="sm" c="dimmed" mb="md">
        {counted(flow.steps.length, 'message')}:{' '}
        {flow.steps.map(({ delayMinutes }) => formatMinutes(delayMinutes)).join(', ')} after the shopper’s last activity
      </Text>
      <CountsBar counts={flow.counts} />
    </Card>
  )
}
