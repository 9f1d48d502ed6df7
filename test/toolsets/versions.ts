/** What is installed for each folder of packages: exact versions, so that a release elsewhere breaks nothing here. */
export const VERSIONS = {
  bash: ["bash-tool@1.3.19", "just-bash@3.4.2", "ai@7.0.169"],
  github: ["@github-tools/sdk@1.16.0", "ai@7.0.169", "zod@4.6.7"],
  exa: ["@exalabs/ai-sdk@2.1.0", "ai@6.0.326", "zod@4.6.7"],
  tavily: ["@tavily/ai-sdk@0.5.0", "ai@6.0.326", "zod@4.6.7"],
  agentic: ["@agentic/calculator@7.6.9", "@agentic/ai-sdk@8.4.4", "ai@4.3.19", "zod@3.25.76"],
  "zod 3.23": ["zod@3.23.8"],
  "ai 4, zod 3": ["ai@4.3.19", "zod@3.25.76"],
  "ai 5, zod 3": ["ai@5.0.277", "zod@3.25.76"],
  "ai 5, zod 4": ["ai@5.0.277", "zod@4.6.7"],
  "ai 6, zod 3": ["ai@6.0.326", "zod@3.25.76"],
  "ai 6, zod 4": ["ai@6.0.326", "zod@4.6.7"],
} as const satisfies Record<string, readonly string[]>;
