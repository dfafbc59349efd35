import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { BlockIcon } from './BlockIcon.tsx'
import { type BlockChoice, blockChoices } from './choices.ts'

interface Props {
  children: ReactNode
  position?: 'bottom-start' | 'bottom-end' | 'right-start' | 'top'
  onOpenChange?: (isOpen: boolean) => void
  onChoose: (choice: BlockChoice) => void
}

/** All blocks behind a button. */
export function AddMenu({ children, position = 'bottom-start', onOpenChange, onChoose }: Props) {
  return (
    <Menu
      position={position}
      shadow="md"
      width={270}
      zIndex={400}
      returnFocus={false}
      onChange={(isOpen) => onOpenChange?.(isOpen)}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className="me-menu">
        {blockChoices.map((choice) => (
          <Menu.Item key={choice.name} leftSection={<BlockIcon type={choice.type} />} onClick={() => onChoose(choice)}>
            {choice.name}
            <span className="me-hint">{choice.hint}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
