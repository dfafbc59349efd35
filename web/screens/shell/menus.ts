// Both menus of the header, in one file: they load right after every screen.
export { AccountMenu } from './AccountMenu.tsx'
export { StoreMenu } from './StoreMenu.tsx'
