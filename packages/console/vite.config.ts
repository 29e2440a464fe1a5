import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The settings come from the gateway at run time (config.json), so one build serves every installation.
export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    manifest: true,
    // The image of the gateway hands these packages on, and must name their licences.
    license: true,
    // Inlined files would need more of the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
