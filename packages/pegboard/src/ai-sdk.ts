export { type AiSdkModel, type AiSdkModelOptions, fromAiSdkModel } from "./models/ai-sdk/model.ts";
export type { ProviderLoader, ProviderSettings } from "./models/provider.ts";
export { createModels, type ModelsOptions } from "./models/registry.ts";
export { type AiSdkTool, fromAiSdk, fromAiSdkTool, isAiSdkTool, type SkippedTool } from "./sources/ai-sdk.ts";
export { type AiSdkApproval, type AiSdkTools, toAiSdkTools } from "./sources/ai-sdk-tools.ts";
