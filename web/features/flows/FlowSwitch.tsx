import { Button, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import type { UnsavedFlow } from '../flow-editor/useFlowEdit.ts'
import { SwitchOffDialog } from './SwitchOffDialog.tsx'
import { SwitchOnDialog } from './SwitchOnDialog.tsx'

interface Props {
  flow: FlowView
  /** `xs`: in the list, where the page explains missing permission. */
  size?: 'xs' | 'sm'
  /** In the list: the page's main button. */
  isMain?: boolean
  unsaved?: UnsavedFlow | null
}

/** Switches a flow on or off, after a confirmation. */
export function FlowSwitch({ flow, size = 'sm', isMain = size === 'sm', unsaved = null }: Props) {
  const [isOpen, setOpen] = useState(false)
  const maySwitch = useHasPermission('flows:switch')
  const close = () => setOpen(false)
  const isInList = size === 'xs'
  if (!maySwitch) {
    return isInList ? null : (
      <Text fz="sm" c="dimmed" maw={260}>
        Only the owner or an admin of the account can switch a flow on or off.
      </Text>
    )
  }
  const Sign = flow.isOn ? IconPlayerPause : IconPlayerPlay
  const label = flow.isOn ? 'Switch off' : 'Switch on'
  return (
    <>
      <Button
        size={size}
        variant={flow.isOn || !isMain ? 'default' : 'filled'}
        leftSection={<Sign size={isInList ? 14 : 16} aria-hidden />}
        onClick={() => setOpen(true)}
        {...(isInList && { 'aria-label': `${label} ${flow.name}` })}
      >
        {label}
      </Button>
      <SwitchOnDialog flow={flow} unsaved={unsaved} opened={isOpen && !flow.isOn} onClose={close} />
      <SwitchOffDialog flow={flow} opened={isOpen && flow.isOn} onClose={close} />
    </>
  )
}
