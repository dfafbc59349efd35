import { Menu, Text } from '@mantine/core'
import type { ReactNode } from 'react'
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
      width={240}
      zIndex={400}
      returnFocus={false}
      onChange={(isOpen) => onOpenChange?.(isOpen)}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className="me-menu">
        {blockChoices.map((choice) => (
          <Menu.Item key={choice.name} onClick={() => onChoose(choice)}>
            {choice.name}
            <Text fz="xs" c="dimmed">
              {choice.hint}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
