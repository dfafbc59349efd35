import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { FlowChannels, FlowView } from '../../shared/flows.ts'
import { useMay } from '../access/queries.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards, LoadingTitle } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { DateTime } from '../ui/Time.tsx'
import { CountsBar, ResponsesLine } from './CountsBar.tsx'
import { FlowEditor } from './FlowEditor.tsx'
import { FlowSwitchMark } from './FlowSwitchMark.tsx'
import { Missing } from './Missing.tsx'
import { useFlows } from './queries.ts'
import { SwitchOffDialog } from './SwitchOffDialog.tsx'
import { SwitchOnDialog } from './SwitchOnDialog.tsx'
import { Upcoming } from './Upcoming.tsx'

export function FlowPage() {
  const { flowId } = useParams()
  const flows = useFlows()
  const flow = flows.data?.flows.find(({ id }) => id === flowId)
  return (
    <>
      {flows.isPending ? (
        <>
          <LoadingTitle />
          <LoadingCards count={2} />
        </>
      ) : flow ? (
        <FlowContent flow={flow} channels={flows.data!.channels} />
      ) : (
        <>
          <PageTitle title="Flow" />
          {flows.error ? (
            <Failed title="The flow could not be loaded" error={flows.error} onRetry={() => flows.refetch()} />
          ) : (
            <Notice tone="warn" title="Flow not found">
              <Link to="/flows">See all flows</Link>
            </Notice>
          )}
        </>
      )}
    </>
  )
}

function FlowContent({ flow, channels }: { flow: FlowView; channels: FlowChannels }) {
  return (
    <>
      <PageTitle title={flow.name} mark={<FlowSwitchMark isOn={flow.isOn} />} text={<Since flow={flow} />}>
        <FlowSwitch flow={flow} />
      </PageTitle>
      <Stack gap="md">
        {flow.missing.length > 0 && <Missing missing={flow.missing} />}
        <Card>
          <Title order={2} mb="md">
            Messages so far
          </Title>
          <CountsBar counts={flow.counts} />
          <ResponsesLine responses={flow.responses} />
        </Card>
        <FlowEditor key={flow.id} flow={flow} channels={channels} />
        <Upcoming flow={flow} />
      </Stack>
    </>
  )
}

function Since({ flow }: { flow: FlowView }) {
  if (!flow.isOn || !flow.switchedOnAt) return 'Switched off: no messages are sent.'
  return (
    <>
      Switched on <DateTime at={flow.switchedOnAt} />.
      {flow.holdoutPercent > 0 && ` ${flow.holdoutPercent}% of shoppers are in the control group and get no messages.`}
    </>
  )
}

function FlowSwitch({ flow }: { flow: FlowView }) {
  const [isOpen, setOpen] = useState(false)
  const maySwitch = useMay('flows:switch')
  const close = () => setOpen(false)
  if (!maySwitch) {
    return (
      <Text fz="sm" c="dimmed" maw={260}>
        Only the owner or an admin of the account can switch a flow on or off.
      </Text>
    )
  }
  return (
    <>
      {flow.isOn ? (
        <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => setOpen(true)}>
          Switch off
        </Button>
      ) : (
        <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => setOpen(true)}>
          Switch on
        </Button>
      )}
      <SwitchOnDialog flow={flow} opened={isOpen && !flow.isOn} onClose={close} />
      <SwitchOffDialog flow={flow} opened={isOpen && flow.isOn} onClose={close} />
    </>
  )
}
