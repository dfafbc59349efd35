// Vite resolves these imports; declared for the type checker.
declare module '*.css'
