import { Box, Button, Card, Group, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { LoadingCards, LoadingTitle } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { CountsBar } from '../../kits/flows/CountsBar.tsx'
import { useFlows } from '../../kits/flows/queries.ts'
import { CLICKED } from '../../kits/flows/rules.ts'
import { FlowEditor } from '../flow-editor/FlowEditor.tsx'
import type { UnsavedFlow } from '../flow-editor/useFlowEdit.ts'
import { FlowReport } from '../flow-report/FlowReport.tsx'
import { FlowSwitch } from './FlowSwitch.tsx'
import { FlowSwitchMark } from './FlowSwitchMark.tsx'
import { Missing } from './Missing.tsx'
import { NoCarts } from './NoCarts.tsx'
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
        <FlowContent flow={flow} data={flows.data!} />
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

type Data = NonNullable<ReturnType<typeof useFlows>['data']>

function FlowContent({ flow, data }: { flow: FlowView; data: Data }) {
  return (
    <FlowEditor
      key={flow.id}
      flow={flow}
      channels={data.channels}
      isRulesInPlan={data.isRulesInPlan}
      head={(rename, unsaved) => <Head flow={flow} onRename={rename} unsaved={unsaved} />}
    >
      {(isEdited) => (
        <Stack gap="md">
          <Card>
            <Title order={2} mb="md">
              Messages so far
            </Title>
            <CountsBar counts={flow.counts} />
            <ResponsesLine responses={flow.responses} />
          </Card>
          <FlowReport flow={flow} isEdited={isEdited} />
          <Upcoming flow={flow} />
        </Stack>
      )}
    </FlowEditor>
  )
}

interface HeadProps {
  flow: FlowView
  onRename: (() => void) | null
  unsaved: UnsavedFlow | null
}

function Head({ flow, onRename, unsaved }: HeadProps) {
  const mark = (
    <>
      <FlowSwitchMark isOn={flow.isOn} />
      {onRename && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPencil size={14} aria-hidden />}
          onClick={onRename}
        >
          Rename
        </Button>
      )}
    </>
  )
  return (
    <>
      <PageTitle title={flow.name} mark={mark} text={<Since flow={flow} />}>
        <FlowSwitch flow={flow} unsaved={unsaved} />
      </PageTitle>
      {flow.missing.length > 0 && (
        <Box mb="md">
          <Missing missing={flow.missing} />
        </Box>
      )}
      <NoCarts flow={flow} />
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

/** Engagement. Opens are separate and labelled as unreliable, machine opens separate from them (decision 22). */
function ResponsesLine({ responses }: { responses: FlowView['responses'] }) {
  const parts: [count: number, label: string, meaning: string][] = [
    [responses.clicked, 'clicked', CLICKED],
    [
      responses.opened,
      'opened (reported)',
      'Opens reported by email apps. Many apps report none, so opens have no effect on sending.',
    ],
    [
      responses.openedByMachines,
      'opened by machines only',
      'Link scanners, and email apps that load pictures automatically, such as Apple Mail.',
    ],
  ]
  if (parts.every(([count]) => count === 0)) return null
  return (
    <Group component="ul" gap="6px 20px" p={0} mt="xs" mb={0} style={{ listStyle: 'none' }} aria-label="Answers">
      {parts.map(([count, label, meaning]) => (
        <li key={label}>
          <Tooltip label={meaning}>
            <Text fz="sm" c="dimmed">
              <strong className="tabular">{formatCount(count)}</strong> {label}
            </Text>
          </Tooltip>
        </li>
      ))}
    </Group>
  )
}
